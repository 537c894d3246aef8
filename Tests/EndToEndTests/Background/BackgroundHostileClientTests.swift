import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import WireFormat

/// Programs that violate the protocol of the service.
@Suite struct BackgroundHostileClientTests {
    private let fixture: BackgroundFixture

    init() throws {
        fixture = try BackgroundFixture()
        _ = try fixture.listing()
    }

    /// Connects to the service.
    private func connect() throws -> ServiceClient { try ServiceClient(fixture) }

    /// Returns the description of a download.
    private func request(_ address: String, _ byte: UInt8 = 1) -> TaskRequest { ServiceClient.request(address, byte) }

    @Test func randomBytesEndTheConnectionAndNotTheService() throws {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<200 {
            let client = try connect()
            let bytes = (0..<Int.random(in: 1..<300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            try client.socket.send(bytes)
            _ = try client.next()
        }
        #expect(try fixture.listing() == "no transfers\n")
    }

    @Test func aCommandBeforeHelloIsRefused() throws {
        let event = try connect().answer(.list(session: nil))
        #expect(event == .refused(command: 1, ClientEvent.Refusal(.invalid, "the first command must be hello")))
    }

    @Test func unknownSessionsAndTransfersAreRefused() throws {
        let client = try connect()
        _ = try client.attach()
        for command in [
            ClientCommand.resume(task: 77), .cancel(task: .min), .acknowledge(session: 99, sequence: .max),
            .create(session: 99, request("https://example.org/")), .setPriority(task: 5, 0.5),
        ] {
            guard case .refused(_, let refusal) = try client.answer(command) else {
                Issue.record("\(command) was not refused")
                continue
            }
            #expect(refusal.code == .unknown)
        }
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://example.org/", "https://", "x", "https://a b/", "javascript:1"])
    func addressesOfOtherSchemesAreRefused(_ address: String) throws {
        let client = try connect()
        let session = try client.attach()
        guard case .refused(_, let refusal) = try client.answer(.create(session: session, request(address))) else {
            Issue.record("\(address) was not refused")
            return
        }
        #expect(refusal.code == .invalid)
    }

    @Test func aRepeatedCreationGivesTheFirstTransfer() throws {
        let client = try connect()
        let session = try client.attach()
        let command = ClientCommand.create(session: session, request("https://example.invalid/film.mkv"))
        guard case .task = try client.answer(command), case .created(_, let first) = try client.next() else {
            throw TestFailure("not created")
        }
        let again = try client.answer(command)
        #expect(again == .created(command: 1, first))
    }

    @Test func twoProgramsCannotAttachToOneSession() throws {
        let first = try connect(), second = try connect()
        _ = try first.attach()
        try second.hello()
        guard
            case .refused(_, let refusal) = try second.answer(
                .attach(identifier: "session", SessionConfiguration()))
        else { throw TestFailure("not refused") }
        #expect(refusal.code == .busy)
    }

    @Test func aFileIsNotADirectory() throws {
        let client = try connect()
        let session = try client.attach()
        var request = request("https://example.invalid/film.mkv")
        request.hasDirectory = true
        let file = try FileDescriptor(opening: "/dev/null", flags: O_RDONLY)
        guard
            case .refused(_, let refusal) = try client.answer(
                .create(session: session, request), descriptors: [file.raw])
        else { throw TestFailure("not refused") }
        #expect(refusal.code == .storage)
    }

    @Test func aMissingDescriptorEndsTheConnection() throws {
        let client = try connect()
        let session = try client.attach()
        var request = request("https://example.invalid/film.mkv")
        request.hasDirectory = true
        #expect(try client.answer(.create(session: session, request)) == nil)
    }

    @Test func tooManyCreationsInAMinuteAreRefused() throws {
        let client = try connect()
        let session = try client.attach()
        var refusals = 0
        for number in 0..<210 {
            var request = request("https://example.invalid/\(number)", UInt8(number))
            request.uuid[0] = 7
            try client.socket.send(ClientRequest(UInt64(number), .create(session: session, request)).encoded())
            while let event = try client.next() {
                if case .refused(_, let refusal) = event { refusals += refusal.code == .limit ? 1 : 0 }
                if case .task = event { continue }
                break
            }
        }
        #expect(refusals == 10)
    }
}
