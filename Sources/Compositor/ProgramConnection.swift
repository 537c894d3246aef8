import CompositorProtocol
import SystemCalls
import WireFormat

/// The socket of one connected program. Used by the compositor's main thread.
final class ProgramConnection: EventSource {
    private static let messagesPerTurn = 64
    /// The time limit for a program's `hello`, in nanoseconds.
    private static let helloPatience: Int64 = 2_000_000_000

    let id: UInt64
    let socket: MessageSocket
    private unowned let table: ProgramConnections
    /// The host time at which the connection ends without a `hello`; `nil` after `hello` has arrived.
    private var helloDeadline: Int64? = MonotonicTime.now + helloPatience
    /// The time left for the program in this turn of the loop.
    private var budget = TurnBudget()

    init(id: UInt64, socket: MessageSocket, table: ProgramConnections) {
        (self.id, self.socket, self.table) = (id, socket, table)
    }

    /// The socket, unless the program has too much pending work. In that case its hang-up is detected later, too.
    var entries: [Poll.Entry] { [Poll.Entry(table.isHeld(id) ? -1 : socket.raw)] }
    var deadline: Int64? { helloDeadline }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        budget = TurnBudget()
        if let due = helloDeadline, now >= due { return table.cut(id, reason: "it sent no hello in time") }
        if ready.contains(where: { $0.ready != [] }) { read() }
    }

    func noteHello() { helloDeadline = nil }

    /// Handles the program's messages until its budget for this turn is used up.
    ///
    /// - Returns: Whether all pending messages were handled and the program is still connected.
    @discardableResult
    func read() -> Bool {
        // Ignore the remaining messages of a program that was disconnected earlier in this turn.
        guard table.isServed(id) else { return false }
        do throws(MalformedMessage) {
            for _ in 0..<Self.messagesPerTurn {
                guard !budget.isUsedUp, !table.isHeld(id) else { return false }
                switch socket.receive() {
                case .nothing: return true
                case .closed:
                    table.cut(id, reason: "it closed the connection")
                    return false
                case .message(let incoming):
                    let start = MonotonicTime.now
                    defer { budget.spend(since: start) }
                    try table.receive(incoming, from: id)
                    guard table.isServed(id) else { return false }
                }
            }
        } catch { table.cut(id, reason: error.what) }
        return false
    }
}
