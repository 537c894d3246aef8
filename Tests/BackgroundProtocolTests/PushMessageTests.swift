import BackgroundProtocolSamples
import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct PushMessageTests {
    /// Returns whether a changed message can be sent: encoding it reads the bytes as the service does.
    private func isAccepted(_ change: (inout PushMessage) -> Void) -> Bool {
        var message = ClientMessageSamples.push
        change(&message)
        return (try? ClientRequest(1, .push(message)).encoded()) != nil
    }

    @Test func aLongPayloadIsMalformed() {
        #expect(isAccepted { $0.payload = [UInt8](repeating: 1, count: PushMessage.payloadBytes) })
        #expect(!isAccepted { $0.payload = [UInt8](repeating: 1, count: PushMessage.payloadBytes + 1) })
    }

    @Test func longKeysAreMalformed() {
        let long = String(repeating: "x", count: PushMessage.keyBytes + 1)
        #expect(!isAccepted { $0.identifier = long })
        #expect(!isAccepted { $0.collapseKey = long })
    }

    @Test func aMessageWithoutAProgramIsMalformed() { #expect(!isAccepted { $0.program = "" }) }

    @Test(arguments: [-1, ClientLimits.timeLimit + 1] as [Int64])
    func anIntervalOutOfRangeIsMalformed(_ seconds: Int64) {
        #expect(throws: MalformedMessage.self) { try ClientRequest(1, .setFetchInterval(seconds)).encoded() }
    }

    @Test func unknownModesOfAProgramAreIgnored() throws {
        var program = ClientMessageSamples.waking
        program.modes = BackgroundModes(rawValue: 0xff)
        let bytes = try ClientRequest(1, .hello(newest: 1, oldest: 1, program)).encoded()
        guard case .hello(_, _, let decoded) = try ClientRequest(decoding: bytes).command else { return }
        #expect(decoded.modes == .known)
    }
}
