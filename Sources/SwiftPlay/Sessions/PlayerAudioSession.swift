import AudioPolicy
import SystemCalls

/// A player's use of the process's audio session. The session is active while any player needs it, and running while
/// any player is audible.
final class PlayerAudioSession: Sendable {
    /// An event of the audio session to which a player must react.
    enum Event: Sendable {
        /// The player may be audible from the given host time on; 0 means at once.
        case granted(audibleFrom: Int64)
        /// The session could not be activated.
        case refused(PlaybackError)
        /// Another program's session or a phone call interrupted the session.
        case interrupted
        /// The interruption ended. If `shouldResume` is true, the player should resume.
        case interruptionEnded(shouldResume: Bool)
        /// The compositor was lost. If `isSilenced` is true, the player is silent until there is a compositor again.
        case lost(isSilenced: Bool)
        /// The compositor is back: the player must activate the session again.
        case reset
        /// An audio device was connected or chosen: the player should try again to open its device.
        case deviceAvailable
    }

    /// A player in the session's list of players.
    struct Participant: Sendable {
        /// The closure that receives the events of the audio session.
        let handler: @Sendable (Event) -> Void
        /// The closure that returns the properties of the player's open device; nil if no device is open.
        var device: @Sendable () -> AudioSession.Device? = { nil }
        /// Whether the player needs the session.
        var needsSession = false
        /// Whether the player is audible.
        var isRunning = false
    }

    /// The audio session of the process.
    private let session: AudioSession
    /// The number of the player in the session's list.
    private let playerNumber: UInt64

    /// Adds a player to the session's list of players.
    ///
    /// - Parameter handler: Called with events, on a thread of the library or of a caller.
    init(_ session: AudioSession, handler: @escaping @Sendable (Event) -> Void) {
        self.session = session
        playerNumber = session.addPlayer(Participant(handler: handler))
    }

    /// Sets the closure that returns the player's device.
    func setDevice(_ device: @escaping @Sendable () -> AudioSession.Device?) {
        session.setDevice(device, for: playerNumber)
    }
    /// The program's preferences for the device.
    var preferences: AudioSession.DevicePreferences { session.state.withLock { $0.requestedState.device } }
    /// Reports that a device was opened.
    func reportOpenedDevice() { session.handleOpenedDevice() }
    /// Reports that the player moved to another device.
    func reportMove(to device: String) { session.handleMove(to: device) }
    /// Whether a connection to the compositor is being opened. The compositor may have to be started first.
    var isStarting: Bool { CompositorLink.shared.isStarting }
    /// Opens the connection to the compositor before it is needed.
    func prepare() { session.prepare() }
    /// Activates the session. The player receives the answer as an event.
    ///
    /// - Parameter hasGesture: Whether the user has just requested playback, so that the session may start in the
    ///   background.
    func request(hasGesture: Bool) { session.activate(forPlayer: playerNumber, hasGesture: hasGesture) }
    /// Records whether the player is audible, and reports it to the compositor if that changes the session's state.
    func setRunning(_ isRunning: Bool) { session.setRunning(isRunning, ofPlayer: playerNumber) }
    /// Records that the player no longer needs the session. If no user is left, the session is deactivated, so that
    /// interrupted programs may resume.
    func release() { session.releaseSession(ofPlayer: playerNumber) }
    /// Removes the player from the session's list. Its handler receives no later events.
    func close() { session.removePlayer(playerNumber) }
}

extension AudioSession {
    /// Adds a player to the session's list and returns its number.
    func addPlayer(_ player: PlayerAudioSession.Participant) -> UInt64 {
        state.update { $0.users.add(player) }
    }

    /// Sets the closure that returns a player's device.
    func setDevice(_ device: @escaping @Sendable () -> AudioSession.Device?, for number: UInt64) {
        state.withLock { $0.users.setDevice(device, of: number) }
    }

    /// Records that a player no longer needs the session, and removes the player from the session's list.
    func removePlayer(_ number: UInt64) {
        setRunning(false, ofPlayer: number)
        releaseSession(ofPlayer: number)
        state.withLock { $0.users.remove(number) }
    }

    /// Activates the session for a player, unless the session is active. The player receives the answer as an event.
    func activate(forPlayer number: UInt64, hasGesture: Bool) {
        let (player, isActive) = state.update { state in
            state.users.setNeedsSession(true, of: number)
            return (state.users[number], state.grantedState.isActive)
        }
        guard let player else { return }
        if isActive { return player.handler(.granted(audibleFrom: 0)) }
        submit(.activate(hasGesture: hasGesture), survivesDisconnect: true) { [weak self] reply in
            switch reply {
            case .granted(let othersSilentAt, _): player.handler(.granted(audibleFrom: othersSilentAt))
            case .failed(let code):
                self?.state.withLock { $0.users.setNeedsSession(false, of: number) }
                player.handler(.refused(PlaybackError(code, "audio is not allowed now (\(code))")))
            // Do nothing: the player receives the event `lost` when the compositor is lost.
            case .lost: break
            }
        }
    }

    /// Records whether a player is audible, and reports it to the compositor if that changes the session's state.
    func setRunning(_ isRunning: Bool, ofPlayer number: UInt64) {
        state.update { state in
            guard let isAnyPlayerAudible = state.users.setRunning(isRunning, of: number) else { return }
            if state.requests.connection == .open { send(.running(isAnyPlayerAudible)) }
        }
    }

    /// Records that a player no longer needs the session, and deactivates the session if neither another player nor the
    /// program needs it.
    func releaseSession(ofPlayer number: UInt64) {
        let hasNoUsers = state.update { $0.users.release(number) }
        // An interrupted session is deactivated, too, so that the sessions that it interrupted may resume.
        if hasNoUsers { submit(.deactivate(notifiesOthers: true)) { _ in } }
    }
}
