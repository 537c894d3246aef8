import AudioOutput
import AudioPolicy

/// The orders that the compositor issued to one audio session, and the shared page that carries them to its program.
///
/// The program can overwrite the whole page. Therefore the orders are kept here and never read back from the page. A
/// program has carried out its orders when it acknowledges exactly these. Used by the compositor's main thread.
final class IssuedAudioOrders {
    private let page: SessionGain
    /// The last gate order; `nil` before the first, while the page holds the program's own values.
    private(set) var gate: GateOrder?
    private(set) var duck: DuckOrder?
    private let check: SilenceCheck.Gate

    init(_ page: SessionGain, check: SilenceCheck.Gate) {
        (self.page, self.check) = (page, check)
        // A session that was never active must be silent.
        check.set(isOpen: false, isChecked: false)
    }

    /// Notes that the session has become active.
    ///
    /// - Parameter isSilenced: Whether the silent switch or the screen lock keeps the session silent.
    func noteActivation(isSilenced: Bool) { check.set(isOpen: !isSilenced, isChecked: isSilenced) }

    /// Issues a gate order.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - isChecked: Whether the sound server is queried for the program's silence after the gate closes.
    func issue(_ order: GateOrder, isChecked: Bool) {
        // The program acknowledges the gate order and the duck order together.
        if duck == nil { issue(DuckOrder(decibels: 0, milliseconds: 0, time: order.time)) }
        gate = order
        page.set(order)
        check.set(isOpen: order.isOpen, isChecked: isChecked)
    }

    func issue(_ order: DuckOrder) {
        duck = order
        page.set(order)
    }

    /// Whether the last gate order closes the gate.
    var isClosed: Bool { gate?.isOpen == false }

    /// Whether the program's render threads have acknowledged both orders; true before the first gate order.
    var areObeyed: Bool {
        guard let gate, let duck else { return true }
        return page.hasAcknowledged(gate, duck)
    }
}
