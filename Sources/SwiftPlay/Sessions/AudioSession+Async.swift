import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// Asynchronous forms of the session's methods that wait for the compositor.
extension AudioSession {
    /// Activates the session, as ``setActive(_:options:)`` with `true` does.
    ///
    /// - Throws: The errors of ``setActive(_:options:)``, and ``PlaybackError`` with the code
    ///   ``AudioSessionErrorCode/mediaServicesFailed`` if there is no answer within 3 s.
    public func activate() async throws {
        state.withLock { $0.users.isActivatedByProgram = true }
        let reply = await send(.activate(hasGesture: false))
        if case .granted = reply {} else { state.withLock { $0.users.isActivatedByProgram = false } }
        try Self.check(reply, Self.activationErrorPrefix)
    }

    /// Deactivates the session, as ``setActive(_:options:)`` with `false` does.
    ///
    /// - Parameter options: See ``SetActiveOptions``.
    /// - Throws: The errors of ``setActive(_:options:)``, and ``PlaybackError`` with the code
    ///   ``AudioSessionErrorCode/mediaServicesFailed`` if there is no answer within 3 s.
    public func deactivate(options: SetActiveOptions = []) async throws {
        state.withLock { $0.users.isActivatedByProgram = false }
        let reply = await send(.deactivate(notifiesOthers: options.contains(.notifyOthersOnDeactivation)))
        try Self.check(reply, Self.deactivationErrorPrefix)
    }

    /// Waits, for at most 1 s, until the compositor has reported the state of other programs. After that,
    /// ``isOtherAudioPlaying``, ``secondaryAudioShouldBeSilencedHint`` and ``promptStyle`` do not block.
    public func refreshOtherSessions() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                _ = otherPrograms
                continuation.resume()
            }
        }
    }

    /// Sends a request and returns the compositor's answer; nil if there is no answer within 3 s.
    private func send(_ request: AudioRequest) async -> Reply? {
        await withCheckedContinuation { continuation in
            let pendingContinuation = Monitor<CheckedContinuation<Reply?, Never>?>(continuation)
            submit(request) { reply in pendingContinuation.withLock { $0.take() }?.resume(returning: reply) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(Self.answerTimeout))) {
                pendingContinuation.withLock { $0.take() }?.resume(returning: nil)
            }
        }
    }
}
