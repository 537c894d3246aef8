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

    /// Connects to the service without the library.
    private func connect() throws -> MessageSocket {
        try LocalSocket.connect(
            path: fixture.runtime.path + "/swiftplay/background.sock", messageLimit: ClientLimits.messageBytes)
    }

    /// Returns the next message of the service; nil if it has closed the connection.
    private func next(_ socket: MessageSocket) throws -> ClientEvent? {
        while true {
            guard try Poll.waitReadable(socket.raw, until: Deadline.after(.seconds(10))) else {
                throw TestFailure("the service does not answer")
            }
            switch socket.receive() {
            case .message(let message): return try ClientEvent(decoding: message.bytes)
            case .closed: return nil
            case .nothing: continue
            }
        }
    }

    /// Sends a command and returns the next message of the service.
    private func answer(
        _ command: ClientCommand, _ socket: MessageSocket, descriptors: [Int32] = []
    ) throws -> ClientEvent? {
        try socket.send(ClientRequest(1, command).encoded(), descriptors: descriptors)
        return try next(socket)
    }

    /// Says hello and attaches to a session; returns its key.
    private func attach(_ socket: MessageSocket, _ identifier: String = "session") throws -> Int64 {
        _ = try answer(.hello(newest: 1, oldest: 1, ProgramDescription(name: "hostile")), socket)
        var configuration = SessionConfiguration()
        configuration.allowsInsecureHTTP = true
        let event = try answer(.attach(identifier: identifier, configuration), socket)
        guard case .attached(_, let session) = event else { throw TestFailure("not attached: \(event as Any)") }
        return session
    }

    /// Returns the description of a download.
    private func request(_ address: String, _ byte: UInt8 = 1) -> TaskRequest {
        TaskRequest(
            uuid: [UInt8](repeating: byte, count: 16),
            request: TransferRequest(address: address, allowsInsecureHTTP: true))
    }

    @Test func randomBytesEndTheConnectionAndNotTheService() throws {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<200 {
            let socket = try connect()
            let bytes = (0..<Int.random(in: 1..<300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            try socket.send(bytes)
            _ = try next(socket)
        }
        #expect(try fixture.listing() == "no transfers\n")
    }

    @Test func aCommandBeforeHelloIsRefused() throws {
        let event = try answer(.list(session: nil), try connect())
        #expect(event == .refused(command: 1, ClientEvent.Refusal(.invalid, "the first command must be hello")))
    }

    @Test func unknownSessionsAndTransfersAreRefused() throws {
        let socket = try connect()
        _ = try attach(socket)
        for command in [
            ClientCommand.resume(task: 77), .cancel(task: .min), .acknowledge(session: 99, sequence: .max),
            .create(session: 99, request("https://example.org/")), .setPriority(task: 5, 0.5),
        ] {
            guard case .refused(_, let refusal) = try answer(command, socket) else {
                Issue.record("\(command) was not refused")
                continue
            }
            #expect(refusal.code == .unknown)
        }
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://example.org/", "https://", "x", "https://a b/", "javascript:1"])
    func addressesOfOtherSchemesAreRefused(_ address: String) throws {
        let socket = try connect()
        let session = try attach(socket)
        guard case .refused(_, let refusal) = try answer(.create(session: session, request(address)), socket) else {
            Issue.record("\(address) was not refused")
            return
        }
        #expect(refusal.code == .invalid)
    }

    @Test func aRepeatedCreationGivesTheFirstTransfer() throws {
        let socket = try connect()
        let session = try attach(socket)
        let command = ClientCommand.create(session: session, request("https://example.invalid/film.mkv"))
        guard case .task = try answer(command, socket), case .created(_, let first) = try next(socket) else {
            throw TestFailure("not created")
        }
        let again = try answer(command, socket)
        #expect(again == .created(command: 1, first))
    }

    @Test func twoProgramsCannotAttachToOneSession() throws {
        let first = try connect(), second = try connect()
        _ = try attach(first)
        _ = try answer(.hello(newest: 1, oldest: 1, ProgramDescription(name: "hostile")), second)
        guard
            case .refused(_, let refusal) = try answer(
                .attach(identifier: "session", SessionConfiguration()), second)
        else { throw TestFailure("not refused") }
        #expect(refusal.code == .busy)
    }

    @Test func aFileIsNotADirectory() throws {
        let socket = try connect()
        let session = try attach(socket)
        var request = request("https://example.invalid/film.mkv")
        request.hasDirectory = true
        let file = try FileDescriptor(opening: "/dev/null", flags: O_RDONLY)
        guard
            case .refused(_, let refusal) = try answer(
                .create(session: session, request), socket, descriptors: [file.raw])
        else { throw TestFailure("not refused") }
        #expect(refusal.code == .storage)
    }

    @Test func aMissingDescriptorEndsTheConnection() throws {
        let socket = try connect()
        let session = try attach(socket)
        var request = request("https://example.invalid/film.mkv")
        request.hasDirectory = true
        #expect(try answer(.create(session: session, request), socket) == nil)
    }

    @Test func tooManyCreationsInAMinuteAreRefused() throws {
        let socket = try connect()
        let session = try attach(socket)
        var refusals = 0
        for number in 0..<210 {
            var request = request("https://example.invalid/\(number)", UInt8(number))
            request.uuid[0] = 7
            try socket.send(ClientRequest(UInt64(number), .create(session: session, request)).encoded())
            while let event = try next(socket) {
                if case .refused(_, let refusal) = event { refusals += refusal.code == .limit ? 1 : 0 }
                if case .task = event { continue }
                break
            }
        }
        #expect(refusals == 10)
    }
}
