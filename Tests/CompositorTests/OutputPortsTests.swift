import Testing

@testable import Compositor

@Suite("The ports of the sound server's output")
struct OutputPortsTests {
    private func output(_ ports: [OutputPorts.Port], active: String?) -> OutputPorts {
        OutputPorts(sink: "sink", ports: ports, active: active)
    }

    private let headphones = OutputPorts.Port(name: "headphones", isSpeaker: false)
    private let speaker = OutputPorts.Port(name: "speaker", isSpeaker: true)

    @Test("the speaker port is found among other ports")
    func speakers() {
        #expect(output([headphones, speaker], active: "headphones").speaker == "speaker")
    }

    @Test("the active speaker is preferred")
    func inUse() {
        let other = OutputPorts.Port(name: "other", isSpeaker: true)
        #expect(output([speaker, other], active: "other").speaker == "other")
        #expect(output([speaker, other], active: nil).speaker == "speaker")
    }

    @Test("an output without a connected speaker has no speaker port")
    func none() {
        #expect(output([], active: nil).speaker == nil)
        #expect(output([headphones], active: "headphones").speaker == nil)
        let absent = OutputPorts.Port(name: "speaker", isSpeaker: true, isUnavailable: true)
        #expect(output([headphones, absent], active: "headphones").speaker == nil)
    }
}
