import BackgroundProtocolSamples
import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct PushMessageTests {
    private func isAccepted(_ change: (inout PushMessage) -> Void) throws -> Bool {
        var message = ClientMessageSamples.push
        change(&message)
        let bytes = try ClientRequest(1, .push(message)).encoded()
        return (try? ClientRequest(decoding: bytes)) != nil
    }

    @Test func aLongPayloadIsMalformed() throws {
        #expect(try isAccepted { $0.payload = [UInt8](repeating: 1, count: PushMessage.payloadBytes) })
        #expect(try !isAccepted { $0.payload = [UInt8](repeating: 1, count: PushMessage.payloadBytes + 1) })
    }

    @Test func longKeysAreMalformed() throws {
        let long = String(repeating: "x", count: PushMessage.keyBytes + 1)
        #expect(try !isAccepted { $0.identifier = long })
        #expect(try !isAccepted { $0.collapseKey = long })
    }

    @Test func aMessageWithoutAProgramIsMalformed() throws { #expect(try !isAccepted { $0.program = "" }) }

    @Test(arguments: [-1, ClientLimits.timeLimit + 1] as [Int64])
    func anIntervalOutOfRangeIsMalformed(_ seconds: Int64) throws {
        let bytes = try ClientRequest(1, .setFetchInterval(seconds)).encoded()
        #expect(throws: MalformedMessage.self) { try ClientRequest(decoding: bytes) }
    }

    @Test func unknownModesOfAProgramAreIgnored() throws {
        var program = ClientMessageSamples.waking
        program.modes = BackgroundModes(rawValue: 0xff)
        let bytes = try ClientRequest(1, .hello(newest: 1, oldest: 1, program)).encoded()
        guard case .hello(_, _, let decoded) = try ClientRequest(decoding: bytes).command else { return }
        #expect(decoded.modes == .known)
    }
}
