import AudioOutput
import AudioPolicy
import SystemCalls
import Testing

@testable import Compositor

@Suite struct IssuedAudioOrdersTests {
    @Test("values that a program writes into its page do not count as orders")
    func ignoresThePage() throws {
        let page = try SessionGain()
        page.set(GateOrder(isOpen: false, milliseconds: 30, time: 1_000_000))
        page.set(DuckOrder(decibels: 14, milliseconds: 0, time: 1_000_000))
        let received = try SessionGain(received: FileDescriptor(duplicating: page.descriptor))
        let orders = IssuedAudioOrders(received, check: SilenceCheck { _ in }.gate(of: 0))
        #expect(orders.gate == nil && orders.duck == nil && !orders.isClosed && orders.areObeyed)
        // The first order to the gate sets both: they are acknowledged together.
        let open = GateOrder(isOpen: true, milliseconds: 0, time: 2_000_000)
        orders.issue(open, isChecked: false)
        #expect(page.gate == open && page.duck.decibels == 0 && orders.duck == page.duck && !orders.areObeyed)
    }
}
