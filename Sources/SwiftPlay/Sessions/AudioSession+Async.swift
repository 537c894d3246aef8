import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// The calls that wait for the compositor, without blocking a thread of the program.
extension AudioSession {
    /// Claims the right to be heard, as ``setActive(_:options:)`` with `true`.
    ///
    /// - Throws: ``PlaybackError`` as there; with ``AudioSessionErrorCode/mediaServicesFailed`` where no answer comes
    ///   within 3 s.
    public func activate() async throws {
        state.withLock { $0.claims.isHeldByProgram = true }
        let answer = await ask(.activate(hasGesture: false))
        if case .granted = answer {} else { state.withLock { $0.claims.isHeldByProgram = false } }
        try Self.check(answer, Self.notActivated)
    }

    /// Gives the right to be heard back, as ``setActive(_:options:)`` with `false`.
    ///
    /// - Throws: ``PlaybackError`` as there; with ``AudioSessionErrorCode/mediaServicesFailed`` where no answer comes
    ///   within 3 s.
    public func deactivate(options: SetActiveOptions = []) async throws {
        state.withLock { $0.claims.isHeldByProgram = false }
        let answer = await ask(.deactivate(isNotified: options.contains(.notifyOthersOnDeactivation)))
        try Self.check(answer, Self.notDeactivated)
    }

    /// Returns when it is known which other programs are heard, 1 s later at most: ``isOtherAudioPlaying``,
    /// ``secondaryAudioShouldBeSilencedHint`` and ``promptStyle`` return at once from then on.
    public func learnAboutOthers() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                _ = others
                continuation.resume()
            }
        }
    }

    /// Asks, and returns the answer; nil where none comes in time.
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
