import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// Where the sound server plays, for as long as this session is active.
extension AudioSession {
    /// Where sound is heard whatever is plugged in (AVAudioSession.PortOverride), with its numbers.
    public enum PortOverride: UInt, Sendable {
        /// Where the sound server plays by itself.
        case none = 0
        /// The speaker, also while headphones are plugged in.
        case speaker = 0x7370_6B72
    }

    /// Lets the sound server play on its speaker, or on the port before it again. Blocks until the sound server has
    /// done so, 3 s at most; on the main queue use ``overrideOutput(_:)``.
    ///
    /// The port belongs to the output: other programs' sound is heard there too. The override ends when the session is
    /// deactivated or interrupted, changes its category, or the program exits, unless the user has chosen another port
    /// meanwhile. It outlasts a crash of the compositor.
    ///
    /// - Throws: ``PlaybackError``: with ``AudioSessionErrorCode/sessionNotActive`` where the session is not active,
    ///   with ``AudioSessionErrorCode/incompatibleCategory`` for the speaker with another category than
    ///   `playAndRecord`, with ``PlaybackError/Code/unsupported`` where there is no compositor, no sound server (sound
    ///   goes to an ALSA device), or no port of a speaker, and with ``AudioSessionErrorCode/mediaServicesFailed`` where
    ///   no answer comes.
    public func overrideOutputAudioPort(_ port: PortOverride) throws(PlaybackError) {
        // Two levels: no answer yet, and the answer that the compositor is gone.
        let place = Monitor<OutputOverrideOutcome??>(nil)
        try request(port) { outcome in place.update { $0 = .some(outcome) } }
        let answer: OutputOverrideOutcome?? = place.wait(until: MonotonicTime.now + Self.patience) { $0 }
        try Self.check(answer ?? nil)
    }

    /// Lets the sound server play on its speaker, or on the port before it again, as ``overrideOutputAudioPort(_:)``.
    ///
    /// - Throws: ``PlaybackError`` as there.
    public func overrideOutput(_ port: PortOverride) async throws {
        let outcome: OutputOverrideOutcome? = try await withCheckedThrowingContinuation { continuation in
            let waiting = Monitor<CheckedContinuation<OutputOverrideOutcome?, any Error>?>(continuation)
            do throws(PlaybackError) {
                try request(port) { outcome in waiting.withLock { $0.take() }?.resume(returning: outcome) }
            } catch {
                waiting.withLock { $0.take() }?.resume(throwing: error)
                return
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(Self.patience))) {
                waiting.withLock { $0.take() }?.resume(returning: nil)
            }
        }
        try Self.check(outcome)
    }

    /// Asks the compositor.
    ///
    /// - Parameter answer: called once; nil: the compositor is gone.
    private func request(
        _ port: PortOverride, answer: @escaping @Sendable (OutputOverrideOutcome?) -> Void
    ) throws(PlaybackError) {
        let version = link.version
        let failure: PlaybackError? = state.withLock { state in
            guard state.granted.isActive else {
                return PlaybackError(.sessionNotActive, "the output can be chosen while the audio session is active")
            }
            guard port == .none || state.wanted.configuration.category == .playAndRecord else {
                return PlaybackError(
                    .incompatibleCategory, "the speaker can only be chosen with the category playAndRecord")
            }
            guard state.dialogue.connection == .open, version >= ProtocolVersion.outputOverride else {
                return PlaybackError(
                    .unsupported, "the output cannot be chosen: no swiftplay-compositor that can do so runs")
            }
            // Sent under the lock: answers come in the order of the requests.
            state.output.expectAnswer(answer)
            send(.overrideOutput(isSpeaker: port == .speaker))
            return nil
        }
        if let failure { throw failure }
    }

    private static func check(_ outcome: OutputOverrideOutcome?) throws(PlaybackError) {
        switch outcome {
        case .done: return
        case .noSoundServer:
            throw PlaybackError(
                .unsupported, "the output cannot be chosen: sound goes to an ALSA device, and no sound server answers")
        case .noSpeaker: throw PlaybackError(.unsupported, "the sound server's output has no port for a speaker")
        case .notAllowed: throw PlaybackError(.sessionNotActive, "the audio session is not active any longer")
        case nil:
            throw PlaybackError(.mediaServicesFailed, "the output cannot be chosen: the compositor does not answer")
        }
    }

    /// The compositor has answered the oldest request.
    func outputAnswered(_ outcome: OutputOverrideOutcome) {
        let answer = state.withLock { $0.output.takeAnswer() }
        answer?(outcome)
    }

    /// The compositor is gone, and answers nothing any more.
    func dropOutputRequests() {
        for answer in state.withLock({ $0.output.takeAnswers() }) { answer(nil) }
    }
}
