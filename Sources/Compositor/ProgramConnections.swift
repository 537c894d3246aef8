import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The connections to all programs. Used by the compositor's main thread.
///
/// A program that breaks the protocol, or does not read its messages, is disconnected. It receives no further messages.
/// Its services end later in the same turn of the loop, when no service is running (``endCutConnections()``).
final class ProgramConnections {
    var registry = ProgramRegistry()
    private var connections: [UInt64: ProgramConnection] = [:]
    /// The disconnected programs whose services have not ended yet, in order of their disconnection.
    private var ended: [(id: UInt64, reason: String)] = []
    private var nextID: UInt64 = 1
    private let loop: EventLoop
    private let logger: Logger
    /// Handles a message of a program. Called on the main thread.
    var onMessage: (MessageSocket.Incoming, ProgramRegistry.Program) throws(MalformedMessage) -> Void = { _, _ in }
    /// Returns whether reading a program's messages is paused. Called on the main thread.
    var isHeld: (UInt64) -> Bool = { _ in false }
    /// Called on the main thread after a program was disconnected.
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
        // Closing a socket with unread messages resets the connection, which would discard the refusal.
        for _ in 0..<16 { guard case .message = socket.receive() else { return } }
    }

    func isServed(_ id: UInt64) -> Bool { connections[id] != nil }

    func receive(_ incoming: MessageSocket.Incoming, from id: UInt64) throws(MalformedMessage) {
        guard let program = registry[id] else { return }
        try onMessage(incoming, program)
    }

    /// Handles the messages that a program has sent so far.
    ///
    /// - Returns: Whether all messages were handled and the program is still connected.
    func read(_ id: UInt64) -> Bool { connections[id]?.read() == true }

    /// Notes that a program's `hello` has arrived.
    func welcome(_ id: UInt64, name: String, version: UInt16, isNewer: Bool) {
        registry.update(id) { ($0.name, $0.version, $0.isNewer) = (name, version, isNewer) }
        connections[id]?.noteHello()
    }

    /// Sends a message to a program. If that fails, the program is disconnected.
    func send(_ message: ServerMessage, to id: UInt64) {
        guard let connection = connections[id] else { return }
        do throws(SystemCallError) {
            try connection.socket.send(message.encoded)
        } catch { cut(id, reason: "the program does not read its messages: \(error.reason)") }
    }

    /// Disconnects a program.
    func cut(_ id: UInt64, reason: String) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        loop.remove(connection)
        connection.socket.shutdown()
        ended.append((id, reason))
    }

    /// Ends the services of disconnected programs.
    func endCutConnections() {
        while !ended.isEmpty {
            let (id, reason) = ended.removeFirst()
            guard let program = registry[id] else { continue }
            logger.info("a program disconnected", metadata: ["pid": "\(program.processID)", "reason": "\(reason)"])
            registry.remove(id)
            onGone(program)
        }
    }
}
