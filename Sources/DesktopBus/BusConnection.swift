import CSystemd
import SystemCalls

/// A connection to a message bus, for one thread that polls. No method blocks, neither for the bus nor for a called
/// program.
///
/// Poll ``descriptor`` for ``events`` until ``deadline``, then call ``process()``, which calls the handlers.
package final class BusConnection {
    /// The maximum number of calls without a reply; further calls are refused.
    package static let callLimit = 256

    private let handle: Handle
    private var calls: [UInt64: PendingCall] = [:]
    private var nextCall: UInt64 = 0

    /// Starts connecting to `address`, by default the user's session bus.
    ///
    /// - Throws: ``BusError`` if there is no address, or if no bus listens at the address.
    package init(address: String? = BusAddress.session) throws(BusError) {
        guard let address else { throw BusError(BusError.noServer, "there is no session bus") }
        handle = try Handle(address: address)
    }

    package struct Call: Sendable {
        /// A bus name: a well-known name, or a unique name such as `:1.42`.
        package var destination: String
        package var path: String
        package var interface: String
        package var member: String
        package var arguments: [BusValue]

        package init(
            to destination: String, path: String, interface: String, _ member: String, _ arguments: [BusValue] = []
        ) {
            (self.destination, self.path, self.interface, self.member, self.arguments) = (
                destination, path, interface, member, arguments
            )
        }

        /// A call to the bus daemon itself.
        package init(bus member: String, _ arguments: [BusValue] = []) {
            self.init(
                to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member,
                arguments)
        }
    }

    package struct Signal: Sendable {
        /// The sender's unique bus name, such as `:1.42`.
        package let sender: String
        package let path: String
        package let interface: String
        package let member: String
        package let arguments: [BusValue]
    }

    // MARK: Polling

    /// The descriptor to poll; -1 after the connection is closed.
    package var descriptor: Int32 { max(-1, sd_bus_get_fd(handle.bus)) }

    package var events: Poll.Events { Poll.Events(rawValue: Int16(clamping: max(0, sd_bus_get_events(handle.bus)))) }

    /// The host time, in nanoseconds, at which ``process()`` must be called even if no message arrives; nil if there is
    /// no such time.
    package var deadline: Int64? {
        var microseconds: UInt64 = .max
        guard sd_bus_get_timeout(handle.bus, &microseconds) >= 0, microseconds < UInt64(Int64.max / 1000) else {
            return nil
        }
        return Int64(microseconds) * 1000
    }

    /// Reads, writes and calls handlers. Handles at most 64 messages; while more messages are pending, ``deadline``
    /// lies in the past.
    ///
    /// - Throws: ``BusError`` if the connection is lost. By then every pending call has received an error.
    package func process() throws(BusError) {
        let handle = handle
        for _ in 0..<64 { if try busCall("bus", sd_bus_process(handle.bus, nil)) == 0 { return } }
    }

    // MARK: Calls

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - startsService: Whether the bus starts the destination's service if it is installed but not running.
    ///   - patience: The timeout in nanoseconds.
    ///   - answer: The completion handler. ``process()`` calls it once, unless the connection is released first.
    package func call(
        _ call: Call, startsService: Bool = false, patience: Int64 = 5 * MonotonicTime.nanosecondsPerSecond,
        answer: @escaping (Result<[BusValue], BusError>) -> Void = { _ in }
    ) throws(BusError) {
        guard calls.count < Self.callLimit else {
            throw BusError(BusError.limitsExceeded, "too many calls are not answered yet")
        }
        var made: OpaquePointer?
        try busCall(
            "sd_bus_message_new_method_call",
            sd_bus_message_new_method_call(handle.bus, &made, call.destination, call.path, call.interface, call.member))
        guard let made else { throw BusError(BusError.failed, "no message") }
        let message = BusMessage(owning: made)
        try busCall(
            "sd_bus_message_set_auto_start", sd_bus_message_set_auto_start(message.pointer, startsService ? 1 : 0))
        try message.append(call.arguments)
        nextCall += 1
        let number = nextCall
        let handler = BusHandler { [weak self] reply in
            // `call` holds this handler; keep it until the handler returns.
            let call = self?.calls.removeValue(forKey: number)
            withExtendedLifetime(call) { answer(Self.result(of: reply)) }
            return 1
        }
        var slot: OpaquePointer?
        let microseconds = UInt64(max(1, patience / 1000))
        try busCall(
            "sd_bus_call_async",
            sd_bus_call_async(handle.bus, &slot, message.pointer, BusHandler.function, handler.address, microseconds))
        guard let slot else { throw BusError(BusError.failed, "no slot") }
        calls[number] = PendingCall(slot: BusSlot(owning: slot, keeping: handler))
    }

    private struct PendingCall { let slot: BusSlot }

    private static func result(of reply: BusMessage) -> Result<[BusValue], BusError> {
        if reply.isError { return .failure(BusError(reply)) }
        do throws(BusError) {
            return .success(try reply.values())
        } catch { return .failure(error) }
    }

    /// Reads one property.
    package func property(
        _ name: String, of interface: String, at path: String, from destination: String,
        answer: @escaping (Result<BusValue, BusError>) -> Void
    ) throws(BusError) {
        let call = Call(
            to: destination, path: path, interface: "org.freedesktop.DBus.Properties", "Get",
            [.string(interface), .string(name)])
        try self.call(call) { result in
            answer(
                result.flatMap { values in
                    values.first.map { .success($0.unwrapped) }
                        ?? .failure(BusError(BusError.invalidArguments, "the reply to a property request has no value"))
                })
        }
    }

    package func setProperty(
        _ name: String, of interface: String, at path: String, from destination: String, to value: BusValue,
        answer: @escaping (Result<[BusValue], BusError>) -> Void = { _ in }
    ) throws(BusError) {
        try call(
            Call(
                to: destination, path: path, interface: "org.freedesktop.DBus.Properties", "Set",
                [.string(interface), .string(name), .variant(value)]),
            answer: answer)
    }

    // MARK: Signals

    /// Calls `handler` for each signal that matches `rule` (the syntax of D-Bus `AddMatch`) until the returned slot is
    /// released. Skips signals that exceed the limits on values.
    package func watch(_ rule: String, handler: @escaping (Signal) -> Void) throws(BusError) -> BusSlot {
        let held = BusHandler { message in
            guard let sender = message.sender, let path = message.path, let interface = message.interface,
                let member = message.member,
                let values = try? message.values()
            else { return 0 }
            handler(Signal(sender: sender, path: path, interface: interface, member: member, arguments: values))
            // Return 0, so that other matches receive the same signal.
            return 0
        }
        var slot: OpaquePointer?
        try busCall(
            "sd_bus_add_match_async",
            sd_bus_add_match_async(handle.bus, &slot, rule, BusHandler.function, nil, held.address))
        guard let slot else { throw BusError(BusError.failed, "no slot") }
        return BusSlot(owning: slot, keeping: held)
    }

    package func emit(_ member: String, of interface: String, at path: String, _ arguments: [BusValue]) throws(BusError)
    {
        var made: OpaquePointer?
        try busCall("sd_bus_message_new_signal", sd_bus_message_new_signal(handle.bus, &made, path, interface, member))
        guard let made else { throw BusError(BusError.failed, "no message") }
        let message = BusMessage(owning: made)
        try message.append(arguments)
        try busCall("sd_bus_send", sd_bus_send(handle.bus, message.pointer, nil))
    }

    package func emitChanges(_ changes: [String: BusValue], of interface: String, at path: String) throws(BusError) {
        try emit(
            "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path,
            [.string(interface), .dictionary(changes), .strings([])])
    }

    // MARK: Objects and names

    /// Handles calls to the object at `path` until the returned slot is released.
    package func export(_ object: BusObject, at path: String) throws(BusError) -> BusSlot {
        var parts: [BusSlot] = []
        for interface in object.interfaces { parts.append(try BusVtable.add(interface, at: path, to: handle.bus)) }
        return BusSlot(parts)
    }

    /// Requests a bus name, which the connection owns until it is closed. `answer` receives whether the request
    /// succeeded.
    package func requestName(_ name: String, answer: @escaping (Bool) -> Void) throws(BusError) {
        let doNotQueue: UInt32 = 4, isOwner: UInt32 = 1
        try call(Call(bus: "RequestName", [.string(name), .uint32(doNotQueue)])) { result in
            answer((try? result.get()) == [.uint32(isOwner)])
        }
    }

    /// The owner of the C connection.
    private final class Handle {
        let bus: OpaquePointer

        init(address: String) throws(BusError) {
            var made: OpaquePointer?
            try busCall("sd_bus_new", sd_bus_new(&made))
            guard let made else { throw BusError(BusError.failed, "no bus") }
            bus = made
            try busCall("bus address", sd_bus_set_address(bus, address))
            try busCall("sd_bus_set_bus_client", sd_bus_set_bus_client(bus, 1))
            // Refuse file descriptors in messages.
            try busCall("sd_bus_negotiate_fds", sd_bus_negotiate_fds(bus, 0))
            do throws(BusError) {
                try busCall("connect", sd_bus_start(bus))
            } catch { throw BusError(BusError.noServer, "no bus at \(address): \(error.message)") }
        }

        deinit { sd_bus_close_unref(bus) }
    }
}
