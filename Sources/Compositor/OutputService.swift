import AudioPolicy
import CompositorProtocol
import SystemCalls

/// The service that switches the audio output to its speaker port while audio sessions request the speaker. Used by the
/// compositor's main thread.
final class OutputService: EventSource {
    /// The audio sessions and their arbiter.
    private let audio: AudioService
    /// Switches the output to its speaker port at the sound server, and back.
    private let output: OutputOverride
    /// The audio sessions that requested the speaker port and may use it.
    private var sessionsOnSpeaker: Set<AudioArbiter.ID> = []

    /// Creates the service, which handles the speaker requests of the sessions of `audio`.
    init(audio: AudioService) throws(SystemCallError) {
        self.audio = audio
        output = try OutputOverride()
        audio.onOutputOverrideRequest = { [unowned self] id, isSpeaker in handle(id, isSpeaker: isSpeaker) }
        audio.onDecision.append { [unowned self] in endDisallowedSpeakerUse() }
    }

    /// Handles a session's request to play on the speaker, or on the default port again.
    ///
    /// - Parameters:
    ///   - id: The audio session that made the request.
    ///   - isSpeaker: True to play on the speaker, false to play on the default port again.
    private func handle(_ id: AudioArbiter.ID, isSpeaker: Bool) {
        let isAllowed = !isSpeaker || mayUseSpeaker(id)
        if isAllowed { if isSpeaker { sessionsOnSpeaker.insert(id) } else { sessionsOnSpeaker.remove(id) } }
        output.handle(.init(owner: id, isSpeaker: isSpeaker, replyKind: isAllowed ? .outcome : .refusal))
    }

    /// Returns whether the session may request the speaker: it is active with the category `playAndRecord`.
    private func mayUseSpeaker(_ id: AudioArbiter.ID) -> Bool {
        guard let session = audio.arbiter.session(id) else { return false }
        return session.activation == .active && session.configuration.category == .playAndRecord
    }

    /// Ends the use of the speaker port for sessions that may no longer request it: they are inactive, have another
    /// category, or their programs have exited.
    private func endDisallowedSpeakerUse() {
        for id in sessionsOnSpeaker where !mayUseSpeaker(id) {
            sessionsOnSpeaker.remove(id)
            output.handle(.init(owner: id, isSpeaker: false))
        }
    }

    /// The descriptor that becomes readable when the sound server has answered a request.
    var entries: [Poll.Entry] { [Poll.Entry(output.replyReady.raw)] }

    /// Reports to audio sessions whether their requests for the speaker port succeeded.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard ready.contains(where: { $0.isReady }) else { return }
        for (owner, outcome) in output.takeReplies() { audio.report(.outputOverride(outcome), to: owner) }
    }
}
