import CompositorProtocol
import SystemCalls
import WireFormat

/// The socket of one connected program. Used by the compositor's main thread.
final class ProgramConnection: EventSource {
    private static let messagesPerTurn = 64
    /// Nanoseconds until a program must have said hello.
    private static let helloPatience: Int64 = 2_000_000_000

    let id: UInt64
    let socket: MessageSocket
    private unowned let table: ProgramConnections
    /// Host time at which the connection ends unless the program has said hello; nil: it has.
    private var helloDeadline: Int64? = MonotonicTime.now + helloPatience
    /// What may still be done for the program in this turn of the loop.
    private var budget = TurnBudget()

    init(id: UInt64, socket: MessageSocket, table: ProgramConnections) {
        (self.id, self.socket, self.table) = (id, socket, table)
    }

    /// A program with too much undone work is not read, and its hang-up is seen later.
    var entries: [Poll.Entry] { [Poll.Entry(table.isHeld(id) ? -1 : socket.raw)] }
    var deadline: Int64? { helloDeadline }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        budget = TurnBudget()
        if let due = helloDeadline, now >= due { return table.cut(id, reason: "it did not say hello") }
        if ready.contains(where: { $0.ready != [] }) { read() }
    }

    func noteHello() { helloDeadline = nil }

    /// Handles what the program sent, as far as its budget for this turn reaches.
    ///
    /// - Returns: whether all messages that had come were handled, and the program is still served.
    @discardableResult
    func read() -> Bool {
        // A program that was cut off earlier in this turn may have left messages: none of them counts any more.
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
