import AudioPolicy
import SystemCalls

/// One player's part in the process's audio session: the session is active while any player needs it, and running while
/// any is heard.
final class PlayerClaim: Sendable {
    enum Event: Sendable {
        /// It may be heard, from a host time on (0: at once).
        case granted(quietAt: Int64)
        case refused(PlaybackError)
        case interrupted
        case freed(shouldResume: Bool)
        /// Nobody decides any longer; silenced or not until somebody does.
        case lost(isSilenced: Bool)
        /// Somebody decides again: a claim has to be made anew.
        case reset
        /// There is something to be heard on.
        case deviceCame
    }

    /// As the session's book has it.
    struct Claimant: Sendable {
        let hear: @Sendable (Event) -> Void
        /// What it plays on.
        var device: @Sendable () -> AudioSession.Device? = { nil }
        var isHeld = false
        var isRunning = false
    }

    private let session: AudioSession
    private let number: UInt64

    /// - Parameter hear: called on a thread of the library's, or on that of a call.
    init(_ session: AudioSession, hear: @escaping @Sendable (Event) -> Void) {
        self.session = session
        number = session.addPlayer(Claimant(hear: hear))
    }

    /// Says what it plays on, when that is asked.
    func setDevice(_ device: @escaping @Sendable () -> AudioSession.Device?) { session.setDevice(device, for: number) }
    /// What the program prefers of the device.
    var preferences: AudioSession.DevicePreferences { session.state.withLock { $0.wanted.device } }
    /// A device was opened.
    func deviceOpened() { session.deviceOpened() }
    /// It is heard on another device now, as was asked of it.
    func moved(to device: String) { session.moved(to: device) }
    /// No compositor has accepted a connection yet, and one may be on its way.
    var isStarting: Bool { CompositorLink.shared.isStarting }
    /// Makes the session ready to be asked.
    func prepare() { session.prepare() }
    /// Asks; the answer is an event. `hasGesture`: the user wants it, so it may begin in the background, too.
    func ask(hasGesture: Bool) { session.claim(for: number, hasGesture: hasGesture) }
    /// Samples of this player begin to be heard, or cease.
    func setRunning(_ isRunning: Bool) { session.setRunning(isRunning, for: number) }
    /// It needs the session no longer: others may go on.
    func giveBack() { session.giveBack(for: number) }
    /// Nothing is told any more.
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
            // What follows is told by itself.
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
        // Also an interrupted session gives back: whom it holds is free then.
        if isLast { submit(.deactivate(isNotified: true)) { _ in } }
    }
}
