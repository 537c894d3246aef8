import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// Asynchronous forms of the methods that wait for the compositor.
extension AudioSession {
    /// Activates the session, as ``setActive(_:options:)`` with `true` does.
    ///
    /// - Throws: The errors of ``setActive(_:options:)``, and ``PlaybackError`` with the code
    ///   ``AudioSessionErrorCode/mediaServicesFailed`` if there is no answer within 3 s.
    public func activate() async throws {
        state.withLock { $0.claims.isHeldByProgram = true }
        let answer = await ask(.activate(hasGesture: false))
        if case .granted = answer {} else { state.withLock { $0.claims.isHeldByProgram = false } }
        try Self.check(answer, Self.notActivated)
    }

    /// Deactivates the session, as ``setActive(_:options:)`` with `false` does.
    ///
    /// - Parameter options: See ``SetActiveOptions``.
    /// - Throws: The errors of ``setActive(_:options:)``, and ``PlaybackError`` with the code
    ///   ``AudioSessionErrorCode/mediaServicesFailed`` if there is no answer within 3 s.
    public func deactivate(options: SetActiveOptions = []) async throws {
        state.withLock { $0.claims.isHeldByProgram = false }
        let answer = await ask(.deactivate(isNotified: options.contains(.notifyOthersOnDeactivation)))
        try Self.check(answer, Self.notDeactivated)
    }

    /// Waits, for at most 1 s, until the state of other programs is known. After that, ``isOtherAudioPlaying``,
    /// ``secondaryAudioShouldBeSilencedHint`` and ``promptStyle`` do not block.
    public func learnAboutOthers() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                _ = others
                continuation.resume()
            }
        }
    }

    /// Sends a request and returns the answer; nil if there is none in time.
    private func ask(_ request: AudioRequest) async -> Answer? {
        await withCheckedContinuation { continuation in
            let waiting = Monitor<CheckedContinuation<Answer?, Never>?>(continuation)
            submit(request) { answer in waiting.withLock { $0.take() }?.resume(returning: answer) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(Self.patience))) {
                waiting.withLock { $0.take() }?.resume(returning: nil)
            }
        }
    }
}
