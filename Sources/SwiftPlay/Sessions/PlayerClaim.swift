import AudioPolicy
import SystemCalls

/// A player's use of the process's audio session. The session is active while any player needs it, and running while
/// any player is audible.
final class PlayerClaim: Sendable {
    enum Event: Sendable {
        /// The player may be heard from a host time on; 0 for at once.
        case granted(quietAt: Int64)
        case refused(PlaybackError)
        case interrupted
        case freed(shouldResume: Bool)
        /// The compositor was lost; the player is silenced or not until there is one again.
        case lost(isSilenced: Bool)
        /// The compositor is back: the player must activate the session again.
        case reset
        /// A device is available.
        case deviceCame
    }

    /// The number of the player in the session's list.
    struct Claimant: Sendable {
        let hear: @Sendable (Event) -> Void
        /// The device of the player.
        var device: @Sendable () -> AudioSession.Device? = { nil }
        var isHeld = false
        var isRunning = false
    }

    private let session: AudioSession
    private let number: UInt64

    /// Creates the claim of a player.
    ///
    /// - Parameter hear: Called with events, on a thread of the library or of a caller.
    init(_ session: AudioSession, hear: @escaping @Sendable (Event) -> Void) {
        self.session = session
        number = session.addPlayer(Claimant(hear: hear))
    }

    /// Sets the closure that returns the player's device.
    func setDevice(_ device: @escaping @Sendable () -> AudioSession.Device?) { session.setDevice(device, for: number) }
    /// The program's preferences for the device.
    var preferences: AudioSession.DevicePreferences { session.state.withLock { $0.wanted.device } }
    /// Reports that a device was opened.
    func deviceOpened() { session.deviceOpened() }
    /// Reports that the player moved to another device.
    func moved(to device: String) { session.moved(to: device) }
    /// Whether the compositor may still be starting.
    var isStarting: Bool { CompositorLink.shared.isStarting }
    /// Opens the connection to the compositor.
    func prepare() { session.prepare() }
    /// Activates the session; the answer is an event. With `hasGesture` the user requested it, so it may start in the
    /// background.
    func ask(hasGesture: Bool) { session.claim(for: number, hasGesture: hasGesture) }
    /// Records whether the player is audible.
    func setRunning(_ isRunning: Bool) { session.setRunning(isRunning, for: number) }
    /// Releases the session, so that interrupted programs may resume.
    func giveBack() { session.giveBack(for: number) }
    /// Ends the events.
    func close() { session.removePlayer(number) }
}

extension AudioSession {
    func addPlayer(_ entry: PlayerClaim.Claimant) -> UInt64 {
        state.update { $0.claims.add(entry) }
    }

    func setDevice(_ device: @escaping @Sendable () -> AudioSession.Device?, for number: UInt64) {
        state.withLock { $0.claims.setDevice(device, of: number) }
    }

    func removePlayer(_ number: UInt64) {
        setRunning(false, for: number)
        giveBack(for: number)
        state.withLock { $0.claims.remove(number) }
    }

    func claim(for number: UInt64, hasGesture: Bool) {
        let (entry, isActive) = state.update { state in
            state.claims.hold(number)
            return (state.claims[number], state.granted.isActive)
        }
        guard let entry else { return }
        if isActive { return entry.hear(.granted(quietAt: 0)) }
        submit(.activate(hasGesture: hasGesture), outlastsLoss: true) { [weak self] answer in
            switch answer {
            case .granted(let quietAt, _): entry.hear(.granted(quietAt: quietAt))
            case .failed(let code):
                self?.state.withLock { $0.claims.drop(number) }
                entry.hear(.refused(PlaybackError(code, "the sound may not be heard now (\(code))")))
            // Later changes are reported as events.
            case .lost: break
            }
        }
    }

    func setRunning(_ isRunning: Bool, for number: UInt64) {
        state.update { state in
            guard let isAny = state.claims.setRunning(isRunning, of: number) else { return }
            if state.dialogue.connection == .open { send(.running(isAny)) }
        }
    }

    func giveBack(for number: UInt64) {
        let isLast = state.update { $0.claims.giveBack(number) }
        // An interrupted session is released, too, so that the sessions it interrupted may resume.
        if isLast { submit(.deactivate(isNotified: true)) { _ in } }
    }
}
