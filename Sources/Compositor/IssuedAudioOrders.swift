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
    private let check: SilenceCheck.Gate

    /// Begins with the orders on the page: those that the program's render threads follow when the session is opened.
    init(_ page: SessionGain, check: SilenceCheck.Gate) {
        (self.page, self.check) = (page, check)
        (gate, duck) = (page.gate, page.duck)
        // The gate on the page is open, but a session that was never active may not be heard.
        check.set(isOpen: false, isChecked: false)
    }

    /// The session has become active.
    ///
    /// - Parameter isSilenced: the silent switch or the lock keeps it from being heard.
    func noteActivation(isSilenced: Bool) { check.set(isOpen: !isSilenced, isChecked: isSilenced) }

    /// - Parameter isChecked: whether the sound server is asked if the program is silent once the gate is closed.
    func issue(_ order: GateOrder, isChecked: Bool) {
        gate = order
        page.set(order)
        check.set(isOpen: order.isOpen, isChecked: isChecked)
    }

    func issue(_ order: DuckOrder) {
        duck = order
        page.set(order)
    }

    /// Whether the program's render threads have acknowledged both orders.
    var areObeyed: Bool { page.hasAcknowledged(gate, duck) }
}
