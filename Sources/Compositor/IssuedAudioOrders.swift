import AudioOutput
import AudioPolicy

/// The orders that the compositor has given to one audio session, and the page by which the session's program gets them.
///
/// The program can write to all of its page. So what was ordered is kept here, and the page is never read for it; a
/// program has obeyed when it acknowledges exactly these orders. The compositor's one thread.
final class IssuedAudioOrders {
    private let page: SessionGain
    private(set) var gate: GateOrder
    private(set) var duck: DuckOrder

    /// Begins with the orders on the page: those that the program's render threads follow when the session is opened.
    init(_ page: SessionGain) {
        self.page = page
        (gate, duck) = (page.gate, page.duck)
    }

    func issue(_ order: GateOrder) {
        gate = order
        page.set(order)
    }

    func issue(_ order: DuckOrder) {
        duck = order
        page.set(order)
    }

    /// Whether the program's render threads have acknowledged both orders.
    var areObeyed: Bool { page.hasAcknowledged(gate, duck) }
}
