import CSystemd

/// A D-Bus message; owns one reference to the sd-bus message.
final class BusMessage {
    let pointer: OpaquePointer

    /// Takes ownership of one reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Adds a reference to a message that another owner also holds.
    convenience init(sharing pointer: OpaquePointer) {
        self.init(owning: pointer)
        sd_bus_message_ref(pointer)
    }

    deinit { sd_bus_message_unref(pointer) }

    var isError: Bool { sd_bus_message_is_method_error(pointer, nil) > 0 }
    var expectsReply: Bool { sd_bus_message_get_expect_reply(pointer) > 0 }
    var sender: String? { text(sd_bus_message_get_sender(pointer)) }
    var path: String? { text(sd_bus_message_get_path(pointer)) }
    var interface: String? { text(sd_bus_message_get_interface(pointer)) }
    var member: String? { text(sd_bus_message_get_member(pointer)) }
    /// The type signature of all values of the message.
    var signature: String { text(sd_bus_message_get_signature(pointer, 1)) ?? "" }

    private func text(_ characters: UnsafePointer<CChar>?) -> String? { characters.map { String(cString: $0) } }
}
