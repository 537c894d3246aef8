import CSystemd

/// A registration with a D-Bus connection (a signal match, an exported object or a pending method call), valid until
/// this object is released.
package final class BusSlot {
    /// The `sd_bus_slot` reference; nil for a combination of registrations.
    private let slot: OpaquePointer?
    /// The handlers that sd-bus references by address, or the combined registrations. They are released after
    /// ``slot``.
    private let retainedObjects: [AnyObject]

    /// Takes ownership of the sd-bus slot `slot`, and retains the handler that belongs to it.
    init(owning slot: OpaquePointer, keeping handler: AnyObject) {
        self.slot = slot
        retainedObjects = [handler]
    }

    /// Combines several registrations, which end together.
    init(_ slots: [BusSlot]) {
        slot = nil
        retainedObjects = slots
    }

    deinit { if let slot { sd_bus_slot_unref(slot) } }
}

/// A handler of D-Bus messages. sd-bus references this object by its address, so the ``BusSlot`` of the registration
/// retains it.
final class BusHandler {
    /// The closure that handles a message. It returns 1 if it handled the message, and 0 otherwise.
    private let body: (BusMessage) -> Int32

    /// Creates a handler.
    ///
    /// - Parameter body: Handles a message. Returns 1 if it handled the message, and 0 otherwise.
    init(_ body: @escaping (BusMessage) -> Int32) { self.body = body }

    /// The address under which sd-bus references the handler.
    var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The C callback that sd-bus calls.
    static let function: sd_bus_message_handler_t = { message, address, _ in
        guard let message, let address else { return 0 }
        // Retain the handler during the call, because its body may release the slot that retains this object.
        let handler = Unmanaged<BusHandler>.fromOpaque(address).takeUnretainedValue()
        return handler.body(BusMessage(sharing: message))
    }
}
