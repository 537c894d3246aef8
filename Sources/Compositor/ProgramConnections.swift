import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The connections to all programs. Used by the compositor's main thread.
///
/// A program that breaks the protocol, or does not read, is cut off: it is sent nothing more at once, and its services
/// end in the same turn of the loop, when no service is at work (``endCutConnections()``).
final class ProgramConnections {
    var registry = ProgramRegistry()
    private var connections: [UInt64: ProgramConnection] = [:]
    /// Programs that are served no more, in the order in which they were cut off.
    private var ended: [(id: UInt64, reason: String)] = []
    private var nextID: UInt64 = 1
    private let loop: EventLoop
    private let logger: Logger
    /// Handles a message of a program.
    var onMessage: (MessageSocket.Incoming, ProgramRegistry.Program) throws(MalformedMessage) -> Void = { _, _ in }
    /// Returns whether a program's messages are not read for now.
    var isHeld: (UInt64) -> Bool = { _ in false }
    /// Called with a program that is not connected any more.
    var onGone: (ProgramRegistry.Program) -> Void = { _ in }

    init(loop: EventLoop, logger: Logger) { (self.loop, self.logger) = (loop, logger) }

    func add(_ socket: MessageSocket, processID: Int32) {
        if let reason = registry.reasonToRefuse(processID) { return refuse(socket, processID, reason) }
        let connection = ProgramConnection(id: nextID, socket: socket, table: self)
        nextID += 1
        connections[connection.id] = connection
        registry.add(ProgramRegistry.Program(id: connection.id, processID: processID))
        loop.add(connection, to: .programs)
    }

    private func refuse(_ socket: MessageSocket, _ processID: Int32, _ reason: String) {
        logger.notice("refused a program", metadata: ["pid": "\(processID)", "reason": "\(reason)"])
        try? socket.send(ServerMessage.refused(reason: reason).encoded)
        socket.shutdown()
        // A socket that is closed with messages unread resets the connection.
        for _ in 0..<16 { guard case .message = socket.receive() else { return } }
    }

    func isServed(_ id: UInt64) -> Bool { connections[id] != nil }

    func receive(_ incoming: MessageSocket.Incoming, from id: UInt64) throws(MalformedMessage) {
        guard let program = registry[id] else { return }
        try onMessage(incoming, program)
    }

    /// Handles what a program has sent by now.
    ///
    /// - Returns: whether all messages were handled, and the program is still served.
    func read(_ id: UInt64) -> Bool { connections[id]?.read() == true }

    /// Notes that a program has said hello.
    func welcome(_ id: UInt64, name: String, version: UInt16, isNewer: Bool) {
        registry.update(id) { ($0.name, $0.version, $0.isNewer) = (name, version, isNewer) }
        connections[id]?.noteHello()
    }

    /// Sends a message. A program that does not take it is cut off.
    func send(_ message: ServerMessage, to id: UInt64) {
        guard let connection = connections[id] else { return }
        do throws(SystemCallError) {
            try connection.socket.send(message.encoded)
        } catch { cut(id, reason: "the program does not read: \(error.reason)") }
    }

    /// Serves a program no more.
    func cut(_ id: UInt64, reason: String) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        loop.remove(connection)
        connection.socket.shutdown()
        ended.append((id, reason))
    }

    /// Ends the services of the programs that were cut off.
    func endCutConnections() {
        while !ended.isEmpty {
            let (id, reason) = ended.removeFirst()
            guard let program = registry[id] else { continue }
            logger.info("a program left", metadata: ["pid": "\(program.processID)", "reason": "\(reason)"])
            registry.remove(id)
            onGone(program)
        }
    }
}
