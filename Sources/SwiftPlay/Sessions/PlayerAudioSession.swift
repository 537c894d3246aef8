import AudioPolicy
import SystemCalls

/// A player's use of the process's audio session. The session is active while any player needs it, and running while
/// any player is audible.
final class PlayerAudioSession: Sendable {
    /// An event of the audio session to which a player must react.
    enum Event: Sendable {
        /// The player may be heard from a host time on; 0 for at once.
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
        /// Receives the events of the audio session.
        let handler: @Sendable (Event) -> Void
        /// Returns the properties of the player's open device; nil if none is open.
        var device: @Sendable () -> AudioSession.Device? = { nil }
        /// Whether the player needs the session.
        var needsSession = false
        /// Whether the player is audible.
        var isRunning = false
    }

    private let session: AudioSession
    /// The number of the player in the session's list.
    private let number: UInt64

    /// Adds a player to the session's list of players.
    ///
    /// - Parameter handler: Called with events, on a thread of the library or of a caller.
    init(_ session: AudioSession, handler: @escaping @Sendable (Event) -> Void) {
        self.session = session
        number = session.addPlayer(Participant(handler: handler))
    }

    /// Sets the closure that returns the player's device.
    func setDevice(_ device: @escaping @Sendable () -> AudioSession.Device?) { session.setDevice(device, for: number) }
    /// The program's preferences for the device.
    var preferences: AudioSession.DevicePreferences { session.state.withLock { $0.requested.device } }
    /// Reports that a device was opened.
    func deviceOpened() { session.deviceOpened() }
    /// Reports that the player moved to another device.
    func moved(to device: String) { session.moved(to: device) }
    /// Whether a connection to the compositor is being opened. The compositor may have to be started first.
    var isStarting: Bool { CompositorLink.shared.isStarting }
    /// Opens the connection to the compositor before it is needed.
    func prepare() { session.prepare() }
    /// Activates the session; the answer is an event. `hasGesture` says that the user has just requested playback, so
    /// that the session may start in the background.
    func request(hasGesture: Bool) { session.activate(forPlayer: number, hasGesture: hasGesture) }
    /// Records whether the player is audible, and reports it to the compositor if that changes the session's state.
    func setRunning(_ isRunning: Bool) { session.setRunning(isRunning, ofPlayer: number) }
    /// Records that the player no longer needs the session. If no user is left, the session is deactivated, so that
    /// interrupted programs may resume.
    func release() { session.releaseSession(ofPlayer: number) }
    /// Removes the player from the session's list. Its handler receives no later events.
    func close() { session.removePlayer(number) }
}

extension AudioSession {
    /// Adds a player to the session's list and returns its number.
    func addPlayer(_ entry: PlayerAudioSession.Participant) -> UInt64 {
        state.update { $0.users.add(entry) }
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

    /// Activates the session for a player, unless it is active. The answer is an event for the player.
    func activate(forPlayer number: UInt64, hasGesture: Bool) {
        let (entry, isActive) = state.update { state in
            state.users.markNeeded(by: number)
            return (state.users[number], state.granted.isActive)
        }
        guard let entry else { return }
        if isActive { return entry.handler(.granted(audibleFrom: 0)) }
        submit(.activate(hasGesture: hasGesture), survivesDisconnect: true) { [weak self] answer in
            switch answer {
            case .granted(let othersSilentAt, _): entry.handler(.granted(audibleFrom: othersSilentAt))
            case .failed(let code):
                self?.state.withLock { $0.users.unmarkNeeded(by: number) }
                entry.handler(.refused(PlaybackError(code, "audio is not allowed now (\(code))")))
            // No action: the player receives the loss of the compositor as an event of its own.
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
        let isLast = state.update { $0.users.release(number) }
        // An interrupted session is deactivated, too, so that the sessions that it interrupted may resume.
        if isLast { submit(.deactivate(notifiesOthers: true)) { _ in } }
    }
}
