import BackgroundProtocol
import SystemCalls
import TestSupport
import WireFormat

/// A connection to the service without the library, which sends any command.
struct ServiceClient {
    let socket: MessageSocket

    /// Connects to the service, which must run.
    init(_ fixture: BackgroundFixture) throws {
        socket = try LocalSocket.connect(
            path: fixture.runtime.path + "/swiftplay/background.sock", messageLimit: ClientLimits.messageBytes)
    }

    /// Returns the next message of the service; nil if it has closed the connection.
    func next() throws -> ClientEvent? {
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
    func answer(_ command: ClientCommand, descriptors: [Int32] = []) throws -> ClientEvent? {
        try socket.send(ClientRequest(1, command).encoded(), descriptors: descriptors)
        return try next()
    }

    /// Introduces the connection as a program.
    func hello(_ name: String = "client") throws {
        _ = try answer(.hello(newest: 1, oldest: 1, ProgramDescription(name: name)))
    }

    /// Sends a command, and waits until the service has handled it and all earlier messages of this connection.
    ///
    /// - Parameter number: The number of the command, which differs from those of earlier commands.
    func synchronize(_ number: UInt64, _ command: ClientCommand = .watch(false)) throws {
        try socket.send(ClientRequest(number, command).encoded())
        while let event = try next() { if event == .done(command: number) { return } }
        throw TestFailure("the service has closed the connection")
    }

    /// Says hello and attaches to a session; returns its key.
    func attach(
        _ identifier: String = "session", _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Int64 {
        try hello()
        var configuration = SessionConfiguration()
        configuration.allowsInsecureHTTP = true
        change(&configuration)
        let event = try answer(.attach(identifier: identifier, configuration))
        guard case .attached(_, let session) = event else { throw TestFailure("not attached: \(event as Any)") }
        return session
    }

    /// Creates and starts a download to a directory.
    func download(_ address: String, number: Int, session: Int64, directory: Int32) throws {
        var request = Self.request(address, UInt8(truncatingIfNeeded: number))
        (request.hasDirectory, request.fileName) = (true, "\(number)")
        let creation = try result(of: .create(session: session, request), descriptors: [directory])
        guard case .created(_, let task) = creation else { throw TestFailure("not created: \(creation as Any)") }
        _ = try result(of: .resume(task: task.id))
    }

    /// Sends a command about a transfer and returns its answer; skips other messages.
    private func result(of command: ClientCommand, descriptors: [Int32] = []) throws -> ClientEvent? {
        var event = try answer(command, descriptors: descriptors)
        while let other = event {
            switch other {
            case .created, .done, .refused: return other
            default: event = try next()
            }
        }
        return nil
    }

    /// Returns the description of a download.
    static func request(_ address: String, _ byte: UInt8 = 1) -> TaskRequest {
        TaskRequest(
            uuid: [UInt8](repeating: byte, count: 16),
            request: TransferRequest(address: address, allowsInsecureHTTP: true))
    }
}
