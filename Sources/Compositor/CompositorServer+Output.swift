import AudioPolicy
import CompositorProtocol

/// Sessions that are heard on the speaker because they asked for that.
extension CompositorServer {
    /// - Parameter isSpeaker: false: the sound server plays on its usual port again.
    func overrideOutput(_ isSpeaker: Bool, of id: AudioArbiter.ID) {
        let isAllowed = !isSpeaker || mayOverrideOutput(id)
        if isAllowed { if isSpeaker { overriding.insert(id) } else { overriding.remove(id) } }
        outputPorts.handle(.init(owner: id, isSpeaker: isSpeaker, answersWith: isAllowed ? .outcome : .refusal))
    }

    private func mayOverrideOutput(_ id: AudioArbiter.ID) -> Bool {
        guard let session = audio.session(id) else { return false }
        return session.claim == .active && session.configuration.category == .playAndRecord
    }

    /// Reports what the sound server has answered.
    func reportOutputs() {
        for (owner, outcome) in outputPorts.takeAnswers() { tell(owner, .outputOverride(outcome)) }
    }

    /// Ends the overrides of sessions that may not have one any longer: they are not active, have another category, or
    /// their programs are gone.
    func endOutputOverrides() {
        for id in overriding where !mayOverrideOutput(id) {
            overriding.remove(id)
            outputPorts.handle(.init(owner: id, isSpeaker: false))
        }
    }
}
