import TestSupport
import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct EngineMessageCodingTests {
    /// Returns whether bytes are a valid command. Records an issue if the command encodes to other bytes.
    private func isCommand(_ bytes: [UInt8]) -> Bool {
        guard let command = try? EngineCommand(decoding: bytes) else { return false }
        // `#expect` would cost more than decoding, and this method is called often.
        if (try? command.encoded()) != bytes { Issue.record("\(command) has other bytes than \(bytes)") }
        return true
    }

    /// Returns whether bytes are a valid event. Records an issue if the event encodes to other bytes.
    private func isEvent(_ bytes: [UInt8]) -> Bool {
        guard let event = try? EngineEvent(decoding: bytes) else { return false }
        if event.encoded != bytes { Issue.record("\(event) has other bytes than \(bytes)") }
        return true
    }

    /// Returns the encoded sample messages of both directions.
    private func encodedSamples() throws -> [[UInt8]] {
        try EngineMessageSamples.commands.map { try $0.encoded() } + EngineMessageSamples.events.map(\.encoded)
    }

    @Test(arguments: EngineMessageSamples.commands) func commandsRoundTrip(_ command: EngineCommand) throws {
        #expect(try EngineCommand(decoding: command.encoded()) == command)
    }

    @Test(arguments: EngineMessageSamples.events) func eventsRoundTrip(_ event: EngineEvent) throws {
        #expect(try EngineEvent(decoding: event.encoded) == event)
    }

    @Test(arguments: EngineMessageSamples.commands) func truncatedCommandsAreRejected(_ command: EngineCommand) throws {
        let bytes = try command.encoded()
        for length in bytes.indices { #expect(!isCommand(Array(bytes.prefix(length))), "cut to \(length)") }
    }

    @Test(arguments: EngineMessageSamples.events) func truncatedEventsAreRejected(_ event: EngineEvent) {
        let bytes = event.encoded
        for length in bytes.indices { #expect(!isEvent(Array(bytes.prefix(length))), "cut to \(length)") }
    }

    @Test func trailingBytesAreRejected() throws {
        for command in EngineMessageSamples.commands { #expect(!isCommand(try command.encoded() + [0])) }
        for event in EngineMessageSamples.events { #expect(!isEvent(event.encoded + [0])) }
    }

    @Test func corruptBytesGiveAnotherMessageOrAnError() throws {
        for bytes in try encodedSamples() {
            for index in bytes.indices {
                for value in [0, 1, 2, 127, 128, 255] as [UInt8] {
                    var corruptBytes = bytes
                    corruptBytes[index] = value
                    _ = isCommand(corruptBytes)
                    _ = isEvent(corruptBytes)
                }
            }
        }
    }

    @Test func randomBytesDoNotCrashTheDecoder() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            if !bytes.isEmpty { bytes[0] = UInt8.random(in: 0...15, using: &generator) }
            _ = isCommand(bytes)
            _ = isEvent(bytes)
        }
    }

    @Test(arguments: [0, 8, 255] as [UInt8]) func unknownCommandsAreReportedAsUnknown(_ number: UInt8) {
        #expect(throws: MalformedMessage("an unknown message", isUnknown: true)) {
            try EngineCommand(decoding: [number])
        }
    }

    @Test(arguments: [0, 15, 255] as [UInt8]) func unknownEventsAreReportedAsUnknown(_ number: UInt8) {
        #expect(throws: MalformedMessage("an unknown message", isUnknown: true)) {
            try EngineEvent(decoding: [number])
        }
    }

    @Test func eventsThatTheLedgerRejectsHaveAFault() {
        for event in EngineMessageSamples.events { #expect(event.fault == nil) }
        var response = EngineMessageSamples.response
        response.status = 999
        #expect(EngineEvent.response(transfer: 1, response).fault == "an invalid status")
        let address = String(repeating: "a", count: EngineLimits.addressBytes)
        let resource = PlannedResource(isPlaylist: false, address: address, name: "video-1.ts")
        #expect(EngineEvent.planned(transfer: 1, [resource]).fault == nil)
        let resources = [PlannedResource](repeating: resource, count: 8)
        #expect(EngineEvent.planned(transfer: 1, resources).fault == "the message has more than 65536 bytes")
    }

    @Test func commandsCarryTheDescriptorsOfTheirOrder() {
        var order = EngineMessageSamples.order
        #expect(EngineCommand.start(order).descriptorCount == 4)
        #expect(EngineMessageSamples.commands.map(\.descriptorCount).count { $0 == 2 } == 2)
        order.descriptors = [.part, .upload]
        #expect(EngineCommand.start(order).descriptorCount == 2)
        #expect(EngineCommand.quit.descriptorCount == 0)
    }
}
