import CSystemd
import SystemCalls

/// A connection to a message bus (D-Bus), used by one thread. No method waits for the bus or for another program.
///
/// The thread polls ``descriptor`` for ``events`` until ``deadline`` and then calls ``process()``. That method calls
/// the handlers of replies, signals and exported objects.
package final class BusConnection {
    /// The maximum number of method calls that wait for a reply; further calls are refused.
    package static let callLimit = 256

    /// The sd-bus connection, which is closed when this connection is released.
    private let handle: Handle
    /// The method calls that wait for a reply, by call number (see ``lastCallNumber``).
    private var pendingCalls: [UInt64: PendingCall] = [:]
    /// The number of method calls that this connection has made, which is also the number of the newest call.
    private var lastCallNumber: UInt64 = 0

    /// Starts connecting to `address`, by default the user's session bus.
    ///
    /// - Throws: ``BusError`` if there is no address, or if no bus listens at the address.
    package init(address: String? = BusAddress.session) throws(BusError) {
        guard let address else { throw BusError(BusError.noServer, "there is no session bus") }
        handle = try Handle(address: address)
    }

    /// A method call to another program.
    package struct Call: Sendable {
        /// A bus name: a well-known name, or a unique name such as `:1.42`.
        package var destination: String
        /// The path of the called object.
        package var path: String
        /// The D-Bus interface of the called method.
        package var interface: String
        /// The name of the called method.
        package var member: String
        /// The arguments of the method.
        package var arguments: [BusValue]

        /// Creates a call to the program that owns the bus name `destination`.
        package init(
            to destination: String, path: String, interface: String, _ member: String, _ arguments: [BusValue] = []
        ) {
            (self.destination, self.path, self.interface, self.member, self.arguments) = (
                destination, path, interface, member, arguments
            )
        }

        /// Creates a call to the bus daemon itself.
        package init(bus member: String, _ arguments: [BusValue] = []) {
            self.init(
                to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member,
                arguments)
        }
    }

    /// A D-Bus signal that the connection received.
    package struct Signal: Sendable {
        /// The sender's unique bus name, such as `:1.42`.
        package let sender: String
        /// The path of the object that emitted the signal.
        package let path: String
        /// The D-Bus interface of the signal.
        package let interface: String
        /// The name of the signal.
        package let member: String
        /// The values that the signal carries.
        package let arguments: [BusValue]
    }

    // MARK: Polling

    /// The descriptor to poll; -1 after the connection is closed.
    package var descriptor: Int32 { max(-1, sd_bus_get_fd(handle.bus)) }

    /// The events for which to poll ``descriptor``.
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

    /// Reads and writes messages and calls handlers. Handles at most 64 messages; while more messages are pending,
    /// ``deadline`` lies in the past.
    ///
    /// - Throws: ``BusError`` if the connection is lost. Every pending call has received an error before.
    package func process() throws(BusError) {
        let handle = handle
        for _ in 0..<64 { if try busCall("bus", sd_bus_process(handle.bus, nil)) == 0 { return } }
    }

    // MARK: Calls

    /// Calls a method of an object of another program.
    ///
    /// - Parameters:
    ///   - startsService: Whether the bus starts the destination's service if it is installed but not running.
    ///   - timeout: The timeout in nanoseconds.
    ///   - completionHandler: The function that receives the result. ``process()`` calls it once, unless the
    ///     connection is released first.
    package func call(
        _ call: Call, startsService: Bool = false, timeout: Int64 = 5 * MonotonicTime.nanosecondsPerSecond,
        completionHandler: @escaping (Result<[BusValue], BusError>) -> Void = { _ in }
    ) throws(BusError) {
        guard pendingCalls.count < Self.callLimit else {
            throw BusError(BusError.limitsExceeded, "too many calls are waiting for a reply")
        }
        var createdMessage: OpaquePointer?
        try busCall(
            "sd_bus_message_new_method_call",
            sd_bus_message_new_method_call(
                handle.bus, &createdMessage, call.destination, call.path, call.interface, call.member))
        guard let createdMessage else { throw BusError(BusError.failed, "no message") }
        let message = BusMessage(owning: createdMessage)
        try busCall(
            "sd_bus_message_set_auto_start", sd_bus_message_set_auto_start(message.pointer, startsService ? 1 : 0))
        try message.append(call.arguments)
        lastCallNumber += 1
        let callNumber = lastCallNumber
        let handler = BusHandler { [weak self] reply in
            // `pendingCalls` holds the registration of this handler: keep the registration until the handler returns.
            let pendingCall = self?.pendingCalls.removeValue(forKey: callNumber)
            withExtendedLifetime(pendingCall) { completionHandler(Self.result(of: reply)) }
            return 1
        }
        var slot: OpaquePointer?
        let microseconds = UInt64(max(1, timeout / 1000))
        try busCall(
            "sd_bus_call_async",
            sd_bus_call_async(handle.bus, &slot, message.pointer, BusHandler.function, handler.address, microseconds))
        guard let slot else { throw BusError(BusError.failed, "no slot") }
        pendingCalls[callNumber] = PendingCall(slot: BusSlot(owning: slot, keeping: handler))
    }

    /// A method call that waits for a reply. Releasing ``slot`` cancels the call.
    private struct PendingCall {
        /// The registration of the reply handler.
        let slot: BusSlot
    }

    /// Returns the values of a reply, or the error in an error reply.
    private static func result(of reply: BusMessage) -> Result<[BusValue], BusError> {
        if reply.isError { return .failure(BusError(reply)) }
        do throws(BusError) {
            return .success(try reply.values())
        } catch { return .failure(error) }
    }

    /// Requests the value of one property of an object of another program.
    ///
    /// - Parameter startsService: Whether the bus starts the destination's service if it is installed but not running.
    package func property(
        _ name: String, of interface: String, at path: String, from destination: String, startsService: Bool = false,
        completionHandler: @escaping (Result<BusValue, BusError>) -> Void
    ) throws(BusError) {
        let call = Call(
            to: destination, path: path, interface: "org.freedesktop.DBus.Properties", "Get",
            [.string(interface), .string(name)])
        try self.call(call, startsService: startsService) { result in
            completionHandler(
                result.flatMap { values in
                    values.first.map { .success($0.unwrapped) }
                        ?? .failure(BusError(BusError.invalidArguments, "the reply to a property request has no value"))
                })
        }
    }

    /// Sets one property of an object of another program.
    package func setProperty(
        _ name: String, of interface: String, at path: String, from destination: String, to value: BusValue,
        completionHandler: @escaping (Result<[BusValue], BusError>) -> Void = { _ in }
    ) throws(BusError) {
        try call(
            Call(
                to: destination, path: path, interface: "org.freedesktop.DBus.Properties", "Set",
                [.string(interface), .string(name), .variant(value)]),
            completionHandler: completionHandler)
    }

    // MARK: Signals

    /// Calls `handler` for each received signal that matches `rule`, until the returned slot is released. Skips signals
    /// with too many or too deeply nested values.
    ///
    /// - Parameter rule: A match rule in the syntax of the D-Bus method `AddMatch`.
    package func watch(_ rule: String, handler: @escaping (Signal) -> Void) throws(BusError) -> BusSlot {
        let busHandler = BusHandler { message in
            guard let sender = message.sender, let path = message.path, let interface = message.interface,
                let member = message.member,
                let values = try? message.values()
            else { return 0 }
            handler(Signal(sender: sender, path: path, interface: interface, member: member, arguments: values))
            // Return 0, so that the handlers of other match rules receive the same signal.
            return 0
        }
        var slot: OpaquePointer?
        try busCall(
            "sd_bus_add_match_async",
            sd_bus_add_match_async(handle.bus, &slot, rule, BusHandler.function, nil, busHandler.address))
        guard let slot else { throw BusError(BusError.failed, "no slot") }
        return BusSlot(owning: slot, keeping: busHandler)
    }

    /// Emits a signal from the object at `path`.
    package func emit(_ member: String, of interface: String, at path: String, _ arguments: [BusValue]) throws(BusError)
    {
        var createdMessage: OpaquePointer?
        try busCall(
            "sd_bus_message_new_signal",
            sd_bus_message_new_signal(handle.bus, &createdMessage, path, interface, member))
        guard let createdMessage else { throw BusError(BusError.failed, "no message") }
        let message = BusMessage(owning: createdMessage)
        try message.append(arguments)
        try busCall("sd_bus_send", sd_bus_send(handle.bus, message.pointer, nil))
    }

    /// Emits the standard signal `PropertiesChanged` with the new values of properties.
    package func emitChanges(_ changes: [String: BusValue], of interface: String, at path: String) throws(BusError) {
        try emit(
            "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path,
            [.string(interface), .dictionary(changes), .strings([])])
    }

    // MARK: Objects and names

    /// Handles calls to the object at `path` until the returned slot is released.
    package func export(_ object: BusObject, at path: String) throws(BusError) -> BusSlot {
        var slots: [BusSlot] = []
        for interface in object.interfaces { slots.append(try BusVtable.add(interface, at: path, to: handle.bus)) }
        return BusSlot(slots)
    }

    /// Requests a bus name, which the connection then owns until it is closed. `completionHandler` receives whether the
    /// bus granted the name.
    package func requestName(_ name: String, completionHandler: @escaping (Bool) -> Void) throws(BusError) {
        let doNotQueue: UInt32 = 4, isOwner: UInt32 = 1
        try call(Call(bus: "RequestName", [.string(name), .uint32(doNotQueue)])) { result in
            completionHandler((try? result.get()) == [.uint32(isOwner)])
        }
    }

    /// The owner of an `sd_bus` connection, which is closed when this object is released.
    private final class Handle {
        /// The `sd_bus` reference.
        let bus: OpaquePointer

        /// Connects to the bus at `address`; messages with file descriptors are refused.
        init(address: String) throws(BusError) {
            var createdBus: OpaquePointer?
            try busCall("sd_bus_new", sd_bus_new(&createdBus))
            guard let createdBus else { throw BusError(BusError.failed, "no bus") }
            bus = createdBus
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
