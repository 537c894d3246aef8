import CSystemd

/// A D-Bus message. This object owns one reference to the message of sd-bus.
final class BusMessage {
    /// The `sd_bus_message` reference.
    let pointer: OpaquePointer

    /// Takes ownership of one reference to an sd-bus message.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Adds a reference to a message that another owner also holds.
    convenience init(sharing pointer: OpaquePointer) {
        self.init(owning: pointer)
        sd_bus_message_ref(pointer)
    }

    deinit { sd_bus_message_unref(pointer) }

    /// Whether the message is an error reply to a method call.
    var isError: Bool { sd_bus_message_is_method_error(pointer, nil) > 0 }
    /// Whether the message is a method call whose sender waits for a reply.
    var expectsReply: Bool { sd_bus_message_get_expect_reply(pointer) > 0 }
    /// The unique bus name of the sender; nil if the message has none.
    var sender: String? { text(sd_bus_message_get_sender(pointer)) }
    /// The path of the called object, or of the object that emitted the signal; nil for a reply.
    var path: String? { text(sd_bus_message_get_path(pointer)) }
    /// The D-Bus interface of the called method or of the signal; nil for a reply.
    var interface: String? { text(sd_bus_message_get_interface(pointer)) }
    /// The name of the called method or of the signal; nil for a reply.
    var member: String? { text(sd_bus_message_get_member(pointer)) }
    /// The type signature of all values of the message.
    var signature: String { text(sd_bus_message_get_signature(pointer, 1)) ?? "" }

    private func text(_ characters: UnsafePointer<CChar>?) -> String? { characters.map { String(cString: $0) } }
}
