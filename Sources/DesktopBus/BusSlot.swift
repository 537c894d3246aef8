import CSystemd

/// A registration with a connection (a match or an object), valid until this object is released.
package final class BusSlot {
    private let slot: OpaquePointer?
    /// The handlers that sd-bus references by address; released after the slot.
    private let kept: [AnyObject]

    init(owning slot: OpaquePointer, keeping handler: AnyObject) {
        self.slot = slot
        kept = [handler]
    }

    /// Combines several registrations.
    init(_ parts: [BusSlot]) {
        slot = nil
        kept = parts
    }

    deinit { if let slot { sd_bus_slot_unref(slot) } }
}

/// A message handler. sd-bus references it by its address, so the owner of the slot must retain it.
final class BusHandler {
    private let body: (BusMessage) -> Int32

    /// - Parameter body: Returns 1 if it handled the message, else 0.
    init(_ body: @escaping (BusMessage) -> Int32) { self.body = body }

    var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The C callback that sd-bus calls.
    static let function: sd_bus_message_handler_t = { message, address, _ in
        guard let message, let address else { return 0 }
        // Retained during the call: the handler may release the slot that owns it.
        let handler = Unmanaged<BusHandler>.fromOpaque(address).takeUnretainedValue()
        return handler.body(BusMessage(sharing: message))
    }
}
