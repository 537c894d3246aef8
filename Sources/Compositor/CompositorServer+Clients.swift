import CompositorProtocol
import SystemCalls
import WireFormat

/// Which connections are served.
extension CompositorServer {
    static let clientLimit = 128
    /// Connections of one process. A program has one, and another while it asks about the whole machine.
    static let clientLimitOfProcess = 8
    /// Connections of all processes that run in other PID namespaces: the kernel names each of them 0.
    static let clientLimitOfForeignProcesses = 64

    /// Why one more connection of a process is not served; nil when it is.
    func reasonToRefuse(_ processID: Int32) -> String? {
        guard clients.count < Self.clientLimit else { return "too many programs are connected" }
        let limit = processID == 0 ? Self.clientLimitOfForeignProcesses : Self.clientLimitOfProcess
        guard clients.values.count(where: { $0.processID == processID }) < limit else {
            return "the program has too many connections"
        }
        return nil
    }

    /// Tells a program that it is not served, and ends the connection.
    func refuse(_ socket: MessageSocket, _ reason: String) {
        logger.notice("refused a program", metadata: ["pid": "\(socket.peer?.processID ?? 0)", "reason": "\(reason)"])
        try? socket.send(ServerMessage.refused(reason: reason).encoded)
        socket.shutdown()
        // A socket that is closed with messages unread resets the connection.
        for _ in 0..<16 { guard case .message = socket.receive() else { return } }
    }

    /// When a connection that has said nothing yet is ended; host time.
    var helloDeadline: Int64? { clients.values.lazy.filter { !$0.isWelcome }.map(\.helloDeadline).min() }

    /// Ends the connections that have not said hello in time.
    func removeSilentClients(now: Int64) {
        for client in clients.values where !client.isWelcome && now >= client.helloDeadline {
            remove(client, reason: "it did not say hello")
        }
    }
}
