import Testing

@testable import Compositor

@Suite("The ports of the sound server's output")
struct OutputPortsTests {
    /// Returns an output of the sound server with the given ports.
    private func output(_ ports: [OutputPorts.Port], active: String?) -> OutputPorts {
        OutputPorts(sink: "sink", ports: ports, activePort: active)
    }

    private let headphones = OutputPorts.Port(name: "headphones", isSpeaker: false)
    private let speaker = OutputPorts.Port(name: "speaker", isSpeaker: true)

    @Test("the speaker port is found among other ports")
    func speakerPortIsFoundAmongOtherPorts() {
        #expect(output([headphones, speaker], active: "headphones").speakerPort == "speaker")
    }

    @Test("the active speaker is preferred")
    func activeSpeakerPortIsPreferred() {
        let otherSpeaker = OutputPorts.Port(name: "other", isSpeaker: true)
        #expect(output([speaker, otherSpeaker], active: "other").speakerPort == "other")
        #expect(output([speaker, otherSpeaker], active: nil).speakerPort == "speaker")
    }

    @Test("an output without a connected speaker has no speaker port")
    func outputWithoutConnectedSpeakerHasNoSpeakerPort() {
        #expect(output([], active: nil).speakerPort == nil)
        #expect(output([headphones], active: "headphones").speakerPort == nil)
        let unavailableSpeaker = OutputPorts.Port(name: "speaker", isSpeaker: true, isUnavailable: true)
        #expect(output([headphones, unavailableSpeaker], active: "headphones").speakerPort == nil)
    }
}
