import AudioPolicy
import CompositorProtocol
import SystemCalls

/// The service for sessions that request the speaker. Used by the compositor's main thread.
final class OutputService: EventSource {
    private let audio: AudioService
    private let output: OutputOverride
    /// The sessions that requested the speaker and are allowed to use it.
    private var overriding: Set<AudioArbiter.ID> = []

    init(audio: AudioService) throws(SystemCallError) {
        self.audio = audio
        output = try OutputOverride()
        audio.onOverride = { [unowned self] id, isSpeaker in handle(id, isSpeaker: isSpeaker) }
        audio.onDecision = { [unowned self] in endOverrides() }
    }

    /// Handles a session's request.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - isSpeaker: True to play on the speaker, false to play on the default port again.
    private func handle(_ id: AudioArbiter.ID, isSpeaker: Bool) {
        let isAllowed = !isSpeaker || mayOverride(id)
        if isAllowed { if isSpeaker { overriding.insert(id) } else { overriding.remove(id) } }
        output.handle(.init(owner: id, isSpeaker: isSpeaker, answersWith: isAllowed ? .outcome : .refusal))
    }

    private func mayOverride(_ id: AudioArbiter.ID) -> Bool {
        guard let session = audio.arbiter.session(id) else { return false }
        return session.claim == .active && session.configuration.category == .playAndRecord
    }

    /// Ends the overrides of sessions that are no longer allowed to have one: they are inactive, have another category,
    /// or their programs have exited.
    private func endOverrides() {
        for id in overriding where !mayOverride(id) {
            overriding.remove(id)
            output.handle(.init(owner: id, isSpeaker: false))
        }
    }

    var entries: [Poll.Entry] { [Poll.Entry(output.answered.raw)] }

    /// Reports the sound server's answers to the sessions.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard ready.contains(where: { $0.ready != [] }) else { return }
        for (owner, outcome) in output.takeAnswers() { audio.report(.outputOverride(outcome), to: owner) }
    }
}
