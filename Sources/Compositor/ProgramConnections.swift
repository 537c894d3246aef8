import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The connections to all programs. Used by the compositor's main thread.
///
/// A program that breaks the protocol, or does not read its messages, is disconnected: the program receives no further
/// messages. ``endDisconnectedPrograms()`` ends the program's windows and audio sessions later in the same iteration of
/// the event loop.
final class ProgramConnections {
    /// The state of all connected programs.
    var registry = ProgramRegistry()
    /// The open connections by their numbers.
    private var connections: [UInt64: ProgramConnection] = [:]
    /// The disconnected programs whose windows and sessions have not ended yet, in order of their disconnection.
    private var disconnectedPrograms: [(id: UInt64, reason: String)] = []
    /// The number of the next connection.
    private var nextID: UInt64 = 1
    /// The loop that polls the sockets.
    private let loop: EventLoop
    private let logger: Logger
    /// Handles a message of a program. Called on the main thread.
    var onMessage: (MessageSocket.ReceivedMessage, ProgramRegistry.Program) throws(MalformedMessage) -> Void = { _, _ in
    }
    /// Returns whether reading a program's messages is paused. Called on the main thread.
    var isReadingPaused: (UInt64) -> Bool = { _ in false }
    /// Called on the main thread after a program was disconnected.
    var onDisconnect: (ProgramRegistry.Program) -> Void = { _ in }

    /// Creates the service without connections.
    init(loop: EventLoop, logger: Logger) { (self.loop, self.logger) = (loop, logger) }

    /// Adds the connection of a program, or refuses it if too many programs are connected.
    func add(_ socket: MessageSocket, processID: Int32) {
        if let reason = registry.reasonToRefuse(processID) { return refuse(socket, processID, reason) }
        let connection = ProgramConnection(id: nextID, socket: socket, connections: self)
        nextID += 1
        connections[connection.id] = connection
        registry.add(ProgramRegistry.Program(id: connection.id, processID: processID))
        loop.add(connection, to: .programs)
    }

    /// Sends a program the reason of its refusal and closes the connection.
    private func refuse(_ socket: MessageSocket, _ processID: Int32, _ reason: String) {
        logger.notice("refused a program", metadata: ["pid": "\(processID)", "reason": "\(reason)"])
        try? socket.send(ServerMessage.refused(reason: reason).encoded)
        socket.shutdown()
        // Read the program's messages: closing a socket with unread messages resets the connection, and the program
        // would not receive the refusal.
        for _ in 0..<16 { guard case .message = socket.receive() else { return } }
    }

    /// Returns whether the connection with this number is open.
    func isConnected(_ id: UInt64) -> Bool { connections[id] != nil }

    /// Returns whether a program supports a version of an interface.
    func supports(_ interface: ProtocolInterface, _ version: UInt16, program id: UInt64) -> Bool {
        registry[id].map { $0.interfaces[interface] >= version } ?? false
    }

    /// Returns the process of a program; nil if it has ended or cannot be identified.
    func process(of id: UInt64) -> ProcessHandle? {
        guard let connection = connections[id], let program = registry[id], program.processID > 0 else { return nil }
        return try? ProcessHandle(program.processID, connectedTo: connection.socket.raw)
    }

    /// Passes a program's message to ``onMessage``.
    func receive(_ receivedMessage: MessageSocket.ReceivedMessage, from id: UInt64) throws(MalformedMessage) {
        guard let program = registry[id] else { return }
        try onMessage(receivedMessage, program)
    }

    /// Handles the messages that a program has sent so far.
    ///
    /// - Returns: Whether all messages were handled and the program is still connected.
    func read(_ id: UInt64) -> Bool { connections[id]?.read() == true }

    /// Records the name and the protocol version from a program's message `hello`.
    func recordHello(_ id: UInt64, name: String, version: UInt16, isNewer: Bool) {
        registry.update(id) { ($0.name, $0.version, $0.isNewer) = (name, version, isNewer) }
        connections[id]?.didReceiveHello()
    }

    /// Sends a message to a program. If that fails, the program is disconnected.
    func send(_ message: ServerMessage, to id: UInt64) {
        guard let connection = connections[id] else { return }
        do throws(SystemCallError) {
            try connection.socket.send(message.encoded)
        } catch { disconnect(id, reason: "the program does not read its messages: \(error.reason)") }
    }

    /// Disconnects a program.
    func disconnect(_ id: UInt64, reason: String) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        loop.remove(connection)
        connection.socket.shutdown()
        disconnectedPrograms.append((id, reason))
    }

    /// Ends the windows, sessions and announcements of all disconnected programs.
    func endDisconnectedPrograms() {
        while !disconnectedPrograms.isEmpty {
            let (id, reason) = disconnectedPrograms.removeFirst()
            guard let program = registry[id] else { continue }
            logger.info("a program disconnected", metadata: ["pid": "\(program.processID)", "reason": "\(reason)"])
            registry.remove(id)
            onDisconnect(program)
        }
    }
}
