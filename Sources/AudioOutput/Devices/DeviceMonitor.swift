import CUdev
import Glibc
import SystemCalls

/// A udev monitor of added and removed sound cards. Its owner polls ``descriptor`` and then calls ``events()``, on one
/// thread.
///
/// Without udev (in containers) the monitor reports no events. Tested with synthetic events only, not with real
/// hardware.
package final class DeviceMonitor {
    /// An added or removed sound card of the machine; `card` is the kernel's number.
    package enum Event: Sendable, Equatable {
        /// A card was added; its control can be opened.
        case added(card: Int)
        /// A card was removed.
        case removed(card: Int)
    }

    // The udev objects that this monitor owns: created in `init`, released in `deinit`.
    private let context: OpaquePointer
    private let monitor: OpaquePointer
    /// The file descriptor that becomes readable when ``events()`` returns new events.
    package let descriptor: Int32

    package init() throws(SystemCallError) {
        guard let context = udev_new() else { throw SystemCallError(call: "udev_new", number: errno) }
        guard let monitor = udev_monitor_new_from_netlink(context, "udev") else {
            let number = errno
            udev_unref(context)
            throw SystemCallError(call: "udev_monitor_new_from_netlink", number: number)
        }
        (self.context, self.monitor) = (context, monitor)
        var code = udev_monitor_filter_add_match_subsystem_devtype(monitor, "sound", nil)
        if code >= 0 { code = udev_monitor_enable_receiving(monitor) }
        descriptor = udev_monitor_get_fd(monitor)
        if code < 0 { throw SystemCallError(call: "udev_monitor_enable_receiving", number: -code) }
    }

    deinit {
        udev_monitor_unref(monitor)
        udev_unref(context)
    }

    /// Returns the new events. Never waits: the monitor's descriptor is non-blocking.
    package func events() -> [Event] {
        var newEvents: [Event] = []
        for _ in 0..<256 {
            guard let device = udev_monitor_receive_device(monitor) else { break }
            defer { udev_device_unref(device) }
            guard let action = udev_device_get_action(device), let name = udev_device_get_sysname(device) else {
                continue
            }
            if let event = Self.event(action: String(cString: action), name: String(cString: name)) {
                newEvents.append(event)
            }
        }
        return newEvents
    }

    /// Converts a udev event; nil for events that do not add or remove a card. Only the control device represents a
    /// card: it is added last, when access rights are set.
    package static func event(action: String, name: String) -> Event? {
        guard name.hasPrefix("controlC"), let card = Int(name.dropFirst(8)), (0..<256).contains(card) else {
            return nil
        }
        switch action {
        case "add": return .added(card: card)
        case "remove": return .removed(card: card)
        default: return nil
        }
    }

    /// Returns the bus of a card according to udev's database.
    package func bus(ofCard card: Int) -> AudioCardInfo.Bus {
        guard let device = udev_device_new_from_subsystem_sysname(context, "sound", "card\(card)") else {
            return .internalBus
        }
        defer { udev_device_unref(device) }
        guard let bus = udev_device_get_property_value(device, "ID_BUS") else { return .internalBus }
        switch String(cString: bus) {
        case "usb": return .usb
        case "bluetooth": return .bluetooth
        default: return .internalBus
        }
    }
}
