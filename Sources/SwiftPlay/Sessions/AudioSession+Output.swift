import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// The output port of the sound server while this session is active.
extension AudioSession {
    /// The override of the output port (AVAudioSession.PortOverride, with the same raw values).
    public enum PortOverride: UInt, Sendable {
        /// No override: the sound server chooses the port.
        case none = 0
        /// The speaker, even while headphones are connected.
        case speaker = 0x7370_6B72
    }

    /// Overrides the output port. Blocks until the sound server has applied the override, for at most 3 s. On the main
    /// queue use ``overrideOutput(_:)``.
    ///
    /// The port belongs to the sound server's output, so other programs are heard there, too. The override ends when
    /// the session is deactivated or interrupted, when its category changes, or when the program exits, unless the user
    /// has chosen another port meanwhile. It survives a crash of the compositor.
    ///
    /// - Parameter port: The port.
    /// - Throws: ``PlaybackError``: with ``AudioSessionErrorCode/sessionNotActive`` if the session is not active; with
    ///   ``AudioSessionErrorCode/incompatibleCategory`` for the speaker with a category other than `playAndRecord`;
    ///   with ``PlaybackError/Code/unsupported`` if there is no compositor, no sound server or no speaker port; with
    ///   ``AudioSessionErrorCode/mediaServicesFailed`` if there is no answer.
    public func overrideOutputAudioPort(_ port: PortOverride) throws(PlaybackError) {
        // The outer nil means no answer yet; the inner nil means that the compositor was lost.
        let pendingOutcome = Monitor<OutputOverrideOutcome??>(nil)
        try request(port) { outcome in pendingOutcome.update { $0 = .some(outcome) } }
        let outcome: OutputOverrideOutcome?? = pendingOutcome.wait(until: MonotonicTime.now + Self.answerTimeout) { $0 }
        try Self.check(outcome ?? nil)
    }

    /// Overrides the output port, as ``overrideOutputAudioPort(_:)`` does, without blocking.
    ///
    /// - Parameter port: The port.
    /// - Throws: The errors of ``overrideOutputAudioPort(_:)``.
    public func overrideOutput(_ port: PortOverride) async throws {
        let outcome: OutputOverrideOutcome? = try await withCheckedThrowingContinuation { continuation in
            let pendingContinuation = Monitor<CheckedContinuation<OutputOverrideOutcome?, any Error>?>(continuation)
            do throws(PlaybackError) {
                try request(port) { outcome in pendingContinuation.withLock { $0.take() }?.resume(returning: outcome) }
            } catch {
                pendingContinuation.withLock { $0.take() }?.resume(throwing: error)
                return
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(Self.answerTimeout))) {
                pendingContinuation.withLock { $0.take() }?.resume(returning: nil)
            }
        }
        try Self.check(outcome)
    }

    /// Sends a request for an output port to the compositor.
    ///
    /// - Parameter handler: Called once with the outcome; receives nil if the compositor was lost.
    private func request(
        _ port: PortOverride, handler: @escaping @Sendable (OutputOverrideOutcome?) -> Void
    ) throws(PlaybackError) {
        let version = link.version
        let failure: PlaybackError? = state.withLock { state in
            guard state.grantedState.isActive else {
                return PlaybackError(
                    .sessionNotActive, "the output can be chosen only while the audio session is active")
            }
            guard port == .none || state.requestedState.configuration.category == .playAndRecord else {
                return PlaybackError(
                    .incompatibleCategory, "the speaker can be chosen only with the category playAndRecord")
            }
            guard state.requests.connection == .open, version >= ProtocolVersion.outputOverride else {
                return PlaybackError(
                    .unsupported, "the output cannot be chosen: no swiftplay-compositor with this function is running")
            }
            // Send while holding the lock: answers are matched with requests by their order.
            state.output.addOutputRequest(handler)
            send(.overrideOutput(isSpeaker: port == .speaker))
            return nil
        }
        if let failure { throw failure }
    }

    /// Throws the error for an outcome that is not a success; nil stands for a missing answer.
    private static func check(_ outcome: OutputOverrideOutcome?) throws(PlaybackError) {
        switch outcome {
        case .done: return
        case .noSoundServer:
            throw PlaybackError(
                .unsupported, "the output cannot be chosen: audio goes to an ALSA device, and no sound server responds")
        case .noSpeaker: throw PlaybackError(.unsupported, "the sound server's output has no port for a speaker")
        case .notAllowed: throw PlaybackError(.sessionNotActive, "the audio session is no longer active")
        case nil:
            throw PlaybackError(.mediaServicesFailed, "the output cannot be chosen: the compositor does not respond")
        }
    }

    /// Handles the compositor's answer to the oldest request for an output port.
    func completeOutputRequest(_ outcome: OutputOverrideOutcome) {
        let handler = state.withLock { $0.output.takeOutputRequest() }
        handler?(outcome)
    }

    /// Calls the handlers of all pending requests for an output port with nil, because the compositor was lost.
    func cancelOutputRequests() {
        for handler in state.withLock({ $0.output.takeOutputRequests() }) { handler(nil) }
    }
}
