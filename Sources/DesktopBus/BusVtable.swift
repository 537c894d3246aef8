import CSystemd

/// The sd-bus vtable of one interface of an exported object, with the functions that sd-bus calls.
///
/// sd-bus checks signatures, implements the standard interfaces for properties and introspection, and reports unknown
/// members. sd-bus stores the address of this object, which is released when sd-bus destroys the slot.
final class BusVtable {
    /// The interface whose members the vtable describes.
    private let interface: BusInterface
    /// The entries of the vtable: a start entry, one entry per member, and an end entry.
    private let entries: UnsafeMutableBufferPointer<sd_bus_vtable>
    /// The strings that the entries point to, each with a terminating zero.
    private var strings: [UnsafeMutableBufferPointer<CChar>] = []

    /// Adds an interface to the object at `path` until the returned slot is released.
    static func add(_ interface: BusInterface, at path: String, to bus: OpaquePointer) throws(BusError) -> BusSlot {
        let table = BusVtable(interface)
        var slot: OpaquePointer?
        try busCall(
            "sd_bus_add_object_vtable",
            sd_bus_add_object_vtable(bus, &slot, path, interface.name, table.entries.baseAddress, table.address))
        guard let slot else { throw BusError(BusError.failed, "no slot") }
        // A slot that is released during a method call stays valid until the call returns, and sd-bus reads the table
        // until it frees the slot: the slot's destroy callback releases the table.
        _ = Unmanaged.passRetained(table)
        sd_bus_slot_set_destroy_callback(slot) { address in
            if let address { Unmanaged<BusVtable>.fromOpaque(address).release() }
        }
        return BusSlot(owning: slot, keeping: table)
    }

    /// Allocates and fills the vtable.
    private init(_ interface: BusInterface) {
        self.interface = interface
        let count = interface.methods.count + interface.properties.count + interface.signals.count + 2
        // sd-bus requires zeros in the unused bytes of an entry's union.
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: count * MemoryLayout<sd_bus_vtable>.stride, alignment: MemoryLayout<sd_bus_vtable>.alignment)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        entries = bytes.bindMemory(to: sd_bus_vtable.self)
        fillEntries()
    }

    deinit {
        entries.deallocate()
        for string in strings { string.deallocate() }
    }

    /// The address under which sd-bus passes this object to the callbacks.
    private var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Writes the start entry, the entries of the members, and the end entry.
    private func fillEntries() {
        guard var entry = entries.baseAddress else { return }
        csystemd_vtable_start(entry)
        for method in interface.methods {
            entry += 1
            csystemd_vtable_method(
                entry, makeCString(method.name), typeSignatures(method.arguments), typeSignatures(method.results),
                argumentNames(method.arguments + method.results), Self.methodCallback)
        }
        for property in interface.properties {
            entry += 1
            csystemd_vtable_property(
                entry, makeCString(property.name), makeCString(property.type), Self.getterCallback,
                property.setter == nil ? nil : Self.setterCallback, property.emitsChanges ? 1 : 0)
        }
        for signal in interface.signals {
            entry += 1
            csystemd_vtable_signal(
                entry, makeCString(signal.name), typeSignatures(signal.arguments), argumentNames(signal.arguments))
        }
        csystemd_vtable_end(entry + 1)
    }

    /// Copies a text into memory that stays valid as long as this object.
    private func makeCString(_ text: String) -> UnsafePointer<CChar>? {
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count + 1)
        _ = copy.initialize(from: text.utf8.map { CChar(bitPattern: $0) } + [0])
        strings.append(copy)
        return UnsafePointer(copy.baseAddress)
    }

    /// Returns the joined type signatures of `arguments`.
    private func typeSignatures(_ arguments: [BusInterface.Argument]) -> UnsafePointer<CChar>? {
        makeCString(arguments.map(\.type).joined())
    }

    /// Returns the names of `arguments` in one C string, each with a terminating zero.
    private func argumentNames(_ arguments: [BusInterface.Argument]) -> UnsafePointer<CChar>? {
        makeCString(arguments.map { $0.name + "\0" }.joined())
    }

    // MARK: Callbacks from sd-bus, on the connection's thread

    /// Runs `body` with the ``BusVtable`` at `address`. Retains the vtable during the call, because `body` may release
    /// the slot.
    ///
    /// - Returns: 1, or a negative `errno` after storing the error that sd-bus sends to the caller.
    private static func withTable(
        _ address: UnsafeMutableRawPointer?, _ busError: UnsafeMutablePointer<sd_bus_error>?,
        _ body: (BusVtable) throws(BusError) -> Void
    ) -> Int32 {
        guard let address else { return 0 }
        let table = Unmanaged<BusVtable>.fromOpaque(address).takeUnretainedValue()
        return withExtendedLifetime(table) {
            do throws(BusError) {
                try body(table)
                return 1
            } catch { return sd_bus_error_set(busError, error.name, error.message) }
        }
    }

    /// The function that sd-bus calls when another program calls a method.
    private static let methodCallback: sd_bus_message_handler_t = { message, address, busError in
        guard let message else { return 0 }
        return BusVtable.withTable(address, busError) { table throws(BusError) in
            try table.perform(BusMessage(sharing: message))
        }
    }

    /// The function that sd-bus calls when another program reads a property.
    private static let getterCallback: sd_bus_property_get_t = { _, _, _, name, reply, address, busError in
        guard let reply else { return 0 }
        return BusVtable.withTable(address, busError) { table throws(BusError) in
            try BusMessage(sharing: reply).append([try table.property(name).getter()])
        }
    }

    /// The function that sd-bus calls when another program sets a property.
    private static let setterCallback: sd_bus_property_set_t = { _, _, _, name, value, address, busError in
        guard let value else { return 0 }
        return BusVtable.withTable(address, busError) { table throws(BusError) in
            guard let newValue = try BusMessage(sharing: value).values().first else {
                throw BusError(BusError.invalidArguments, "a property assignment has no value")
            }
            try table.property(name).setter?(newValue)
        }
    }

    /// Returns the property called `name`.
    private func property(_ name: UnsafePointer<CChar>?) throws(BusError) -> BusInterface.Property {
        let name = name.map { String(cString: $0) } ?? ""
        guard let property = interface.properties.first(where: { $0.name == name }) else {
            throw BusError(BusError.failed, "there is no property \(name)")
        }
        return property
    }

    /// Calls the implementation of a method and sends its results.
    private func perform(_ call: BusMessage) throws(BusError) {
        guard let method = interface.methods.first(where: { $0.name == call.member }) else {
            throw BusError(BusError.unknownMethod, "there is no method \(call.member ?? "")")
        }
        let results = try method.perform(try call.values())
        guard call.expectsReply else { return }
        var createdMessage: OpaquePointer?
        try busCall("sd_bus_message_new_method_return", sd_bus_message_new_method_return(call.pointer, &createdMessage))
        guard let createdMessage else { throw BusError(BusError.failed, "no message") }
        let reply = BusMessage(owning: createdMessage)
        try reply.append(results)
        try busCall("sd_bus_send", sd_bus_send(nil, reply.pointer, nil))
    }
}
