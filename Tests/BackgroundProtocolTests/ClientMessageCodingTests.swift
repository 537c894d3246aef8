import BackgroundProtocolSamples
import TestSupport
import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct ClientMessageCodingTests {
    @Test(arguments: ClientMessageSamples.commands) func commandsRoundTrip(_ command: ClientCommand) throws {
        let request = ClientRequest(77, command)
        #expect(try ClientRequest(decoding: request.encoded()) == request)
    }

    @Test(arguments: ClientMessageSamples.events) func eventsRoundTrip(_ event: ClientEvent) throws {
        #expect(try ClientEvent(decoding: event.encoded) == event)
    }

    @Test(arguments: ClientMessageSamples.commands)
    func everyPrefixOfACommandIsMalformed(_ command: ClientCommand) throws {
        let bytes = try ClientRequest(1, command).encoded()
        for count in 0..<bytes.count {
            #expect(throws: MalformedMessage.self) { try ClientRequest(decoding: Array(bytes.prefix(count))) }
        }
    }

    @Test(arguments: ClientMessageSamples.events) func everyPrefixOfAnEventIsMalformed(_ event: ClientEvent) {
        let bytes = event.encoded
        for count in 0..<bytes.count {
            #expect(throws: MalformedMessage.self) { try ClientEvent(decoding: Array(bytes.prefix(count))) }
        }
    }

    @Test("a reason with the text of a server is cut, so that programs can read it", arguments: ["a", "ä", "€", "😀"])
    func aLongReasonIsCut(_ character: String) throws {
        var snapshot = try #require(
            ClientMessageSamples.events.compactMap { event in
                if case .task(let snapshot) = event { snapshot } else { nil }
            }.first)
        for length in 1020...1030 {
            let end = String(repeating: character, count: 1000)
            snapshot.activity.text = String(repeating: "a", count: length - 1000) + end
            guard case .task(let read) = try ClientEvent(decoding: ClientEvent.task(snapshot).encoded) else {
                throw TestFailure("another event")
            }
            #expect(read.activity.text.utf8.count <= ClientLimits.reasonBytes && read.activity.text.hasPrefix("aaaa"))
        }
    }

    @Test(
        "a command that the service would not read is an error of its sender",
        arguments: [
            .authenticate(task: 1, user: "user", password: String(repeating: "a", count: 9000)),
            .attach(identifier: "", SessionConfiguration()),
            .attach(identifier: String(repeating: "a", count: 256), SessionConfiguration()),
            .hello(newest: 2, oldest: 1, ProgramDescription(name: "a\nb")), .setPriority(task: 1, .nan),
        ] as [ClientCommand])
    func anInvalidCommandIsNotEncoded(_ command: ClientCommand) {
        #expect(throws: MalformedMessage.self) { try ClientRequest(1, command).encoded() }
    }

    @Test func bytesAfterAMessageAreMalformed() throws {
        let bytes = try ClientRequest(1, .resume(task: 1)).encoded() + [0]
        #expect(throws: MalformedMessage.self) { try ClientRequest(decoding: bytes) }
        #expect(throws: MalformedMessage.self) { try ClientEvent(decoding: ClientEvent.done(command: 1).encoded + [0]) }
    }

    @Test func messagesOfNewerVersionsAreUnknown() {
        #expect(throws: MalformedMessage("an unknown command", isUnknown: true)) {
            try ClientRequest(decoding: [0, 0, 0, 0, 0, 0, 0, 0, 200])
        }
        #expect(throws: MalformedMessage("an unknown message", isUnknown: true)) { try ClientEvent(decoding: [200]) }
    }

    @Test func randomBytesNeverTrap() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
                UInt8.random(in: 0...15, using: &generator)
            }
            _ = try? ClientRequest(decoding: bytes)
            _ = try? ClientEvent(decoding: bytes)
        }
    }

    @Test func changedBytesOfValidCommandsNeverTrap() throws {
        var generator = SeededGenerator.printingSeed()
        for command in ClientMessageSamples.commands {
            for _ in 0..<300 {
                var bytes = try ClientRequest(1, command).encoded()
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                _ = try? ClientRequest(decoding: bytes)
            }
        }
    }

    @Test func onlyACreationWithADirectoryCarriesADescriptor() {
        let counts = ClientMessageSamples.commands.map(\.descriptorCount)
        #expect(counts.reduce(0, +) == 3)
        #expect(ClientCommand.create(session: 1, ClientMessageSamples.request).descriptorCount == 1)
    }

    @Test func onlyAnEventWithAFileCarriesADescriptor() {
        #expect(ClientMessageSamples.events.map(\.descriptorCount).reduce(0, +) == 1)
    }

    @Test func anOversizedCommandIsNotSent() {
        var request = ClientMessageSamples.request
        request.request.fields = (0..<100).map { HeaderField("Name\($0)", String(repeating: "x", count: 390)) }
        request.request.address = "https://example.org/" + String(repeating: "x", count: 8000)
        request.description = String(repeating: "x", count: 4000)
        #expect(throws: Never.self) { try ClientRequest(1, .create(session: 1, request)).encoded() }
        request.request.fields += (0..<20).map { HeaderField("More\($0)", String(repeating: "x", count: 2000)) }
        #expect(throws: MalformedMessage.self) { try ClientRequest(1, .create(session: 1, request)).encoded() }
    }
}
