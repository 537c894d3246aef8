import CSystemd

/// Something that is registered with a connection, a watch or an object, for as long as this is kept.
package final class BusSlot {
    private let slot: OpaquePointer?
    /// What sd-bus calls by its address: released after the slot.
    private let kept: [AnyObject]

    init(owning slot: OpaquePointer, keeping handler: AnyObject) {
        self.slot = slot
        kept = [handler]
    }

    /// Several registrations as one.
    init(_ parts: [BusSlot]) {
        slot = nil
        kept = parts
    }

    deinit { if let slot { sd_bus_slot_unref(slot) } }
}

/// What is done with a message. sd-bus knows it by its address, so whoever owns the slot holds it.
final class BusHandler {
    private let body: (BusMessage) -> Int32

    /// - Parameter body: returns 1 where the message is dealt with, else 0.
    init(_ body: @escaping (BusMessage) -> Int32) { self.body = body }

    var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// For sd-bus.
    static let function: sd_bus_message_handler_t = { message, address, _ in
        guard let message, let address else { return 0 }
        // Held while it runs: it may well end what it belongs to.
        let handler = Unmanaged<BusHandler>.fromOpaque(address).takeUnretainedValue()
        return handler.body(BusMessage(sharing: message))
    }
}
