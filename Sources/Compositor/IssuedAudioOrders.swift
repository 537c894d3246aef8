import AudioOutput
import AudioPolicy

/// The orders that the compositor has given to one audio session, and the page by which the session's program gets
/// them.
///
/// The program can write to all of its page. So what was ordered is kept here, and the page is never read for it; a
/// program has obeyed when it acknowledges exactly these orders. Used by the compositor's main thread.
final class IssuedAudioOrders {
    private let page: SessionGain
    /// nil: no order has been given. The page then says what the program itself has written.
    private(set) var gate: GateOrder?
    private(set) var duck: DuckOrder?
    private let check: SilenceCheck.Gate

    init(_ page: SessionGain, check: SilenceCheck.Gate) {
        (self.page, self.check) = (page, check)
        // A session that was never active may not be heard.
        check.set(isOpen: false, isChecked: false)
    }

    /// Notes that the session has become active.
    ///
    /// - Parameter isSilenced: the silent switch or the lock keeps it from being heard.
    func noteActivation(isSilenced: Bool) { check.set(isOpen: !isSilenced, isChecked: isSilenced) }

    /// - Parameter isChecked: whether the sound server is asked if the program is silent once the gate is closed.
    func issue(_ order: GateOrder, isChecked: Bool) {
        // Both are acknowledged together.
        if duck == nil { issue(DuckOrder(decibels: 0, milliseconds: 0, time: order.time)) }
        gate = order
        page.set(order)
        check.set(isOpen: order.isOpen, isChecked: isChecked)
    }

    func issue(_ order: DuckOrder) {
        duck = order
        page.set(order)
    }

    /// Whether the gate was ordered to be closed.
    var isClosed: Bool { gate?.isOpen == false }

    /// Whether the program's render threads have acknowledged both orders; true while there are none to the gate.
    var areObeyed: Bool {
        guard let gate, let duck else { return true }
        return page.hasAcknowledged(gate, duck)
    }
}
