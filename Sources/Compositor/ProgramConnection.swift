import CompositorProtocol
import SystemCalls
import WireFormat

/// The socket of one connected program. Used by the compositor's main thread.
final class ProgramConnection: EventSource {
    /// The largest number of messages that are read in one iteration of the event loop.
    private static let messagesPerIteration = 64
    /// The time limit for a program's `hello`, in nanoseconds.
    private static let helloTimeout: Int64 = 2_000_000_000

    /// The number of the connection, never used again for another program.
    let id: UInt64
    let socket: MessageSocket
    /// The connections to all programs, which receive the program's messages from this object.
    private unowned let connections: ProgramConnections
    /// The host time at which the connection ends without a `hello`; `nil` after `hello` has arrived.
    private var helloDeadline: Int64? = MonotonicTime.now + helloTimeout
    /// The processing time that is left for the program in this iteration of the event loop.
    private var budget = TimeBudget()

    /// Creates the connection number `id` for an accepted socket.
    init(id: UInt64, socket: MessageSocket, connections: ProgramConnections) {
        (self.id, self.socket, self.connections) = (id, socket, connections)
    }

    /// The socket to poll; -1, which polling ignores, while the program has too much pending work. Meanwhile not even
    /// the end of the program's connection is detected.
    var entries: [Poll.Entry] { [Poll.Entry(connections.isReadingPaused(id) ? -1 : socket.raw)] }
    /// The host time by which the program must have sent `hello`; `nil` after `hello` has arrived.
    var deadline: Int64? { helloDeadline }

    /// Reads the program's messages, or ends the connection if `hello` has not arrived in time.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        budget = TimeBudget()
        if let deadline = helloDeadline, now >= deadline {
            return connections.disconnect(id, reason: "no hello message arrived in time")
        }
        if ready.contains(where: { $0.isReady }) { read() }
    }

    /// Records that `hello` has arrived in time.
    func didReceiveHello() { helloDeadline = nil }

    /// Handles the program's messages until its time budget for this iteration of the event loop is used up.
    ///
    /// - Returns: Whether all pending messages were handled and the program is still connected.
    @discardableResult
    func read() -> Bool {
        // Ignore the remaining messages of a program that was disconnected earlier in this iteration.
        guard connections.isConnected(id) else { return false }
        do throws(MalformedMessage) {
            for _ in 0..<Self.messagesPerIteration {
                guard !budget.isUsedUp, !connections.isReadingPaused(id) else { return false }
                switch socket.receive() {
                case .nothing: return true
                case .closed:
                    connections.disconnect(id, reason: "it closed the connection")
                    return false
                case .message(let receivedMessage):
                    let start = MonotonicTime.now
                    defer { budget.spend(since: start) }
                    try connections.receive(receivedMessage, from: id)
                    guard connections.isConnected(id) else { return false }
                }
            }
        } catch { connections.disconnect(id, reason: error.detail) }
        return false
    }
}
