import CUdev
import Glibc
import SystemCalls

/// Hears from udev which sound cards come and go. Made for a poll loop; one thread.
///
/// Where no udev runs (in containers) nothing ever comes. Tried on made-up words only: no card was there to be plugged
/// in.
package final class DeviceWatch {
    package enum Event: Sendable, Equatable {
        /// Its control can be opened from now on.
        case added(card: Int)
        case removed(card: Int)
    }

    // Owned: made in `init`, let go in `deinit`.
    private let library: OpaquePointer
    private let monitor: OpaquePointer
    /// Readable when ``events()`` has something.
    package let descriptor: Int32

    package init() throws(SystemCallError) {
        guard let library = udev_new() else { throw SystemCallError(call: "udev_new", number: errno) }
        guard let monitor = udev_monitor_new_from_netlink(library, "udev") else {
            let number = errno
            udev_unref(library)
            throw SystemCallError(call: "udev_monitor_new_from_netlink", number: number)
        }
        (self.library, self.monitor) = (library, monitor)
        var code = udev_monitor_filter_add_match_subsystem_devtype(monitor, "sound", nil)
        if code >= 0 { code = udev_monitor_enable_receiving(monitor) }
        descriptor = udev_monitor_get_fd(monitor)
        if code < 0 { throw SystemCallError(call: "udev_monitor_enable_receiving", number: -code) }
    }

    deinit {
        udev_monitor_unref(monitor)
        udev_unref(library)
    }

    /// What has happened. Never waits: the monitor's descriptor does not.
    package func events() -> [Event] {
        var found: [Event] = []
        for _ in 0..<256 {
            guard let device = udev_monitor_receive_device(monitor) else { break }
            defer { udev_device_unref(device) }
            guard let action = udev_device_get_action(device), let name = udev_device_get_sysname(device) else {
                continue
            }
            if let event = Self.event(action: String(cString: action), name: String(cString: name)) {
                found.append(event)
            }
        }
        return found
    }

    /// What udev's words say. Of a card's devices the control stands for all: it is the last to come, and who may use
    /// it has been set by then.
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

    /// How a card is connected, as udev's database has it.
    package func bus(ofCard card: Int) -> SoundCard.Bus {
        guard let device = udev_device_new_from_subsystem_sysname(library, "sound", "card\(card)") else {
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
