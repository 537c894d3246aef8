import CompositorProtocol
import DesktopBus
import Logging
import SystemCalls

/// Receives the low-memory warnings of other services: the low-memory monitor on the system bus, which GLib's
/// `GMemoryMonitor` uses, and the desktop portal, which forwards its warnings into sandboxes. Polled by the
/// compositor's event loop; never waits.
final class LowMemoryBusMonitor {
    /// A connection to a bus, and the registration for a service's signal.
    private struct Subscription {
        let connection: BusConnection
        /// The registration for the signal, which ends when this value is released.
        let slot: BusSlot
    }

    /// The subscriptions whose bus connections work.
    private var subscriptions: [Subscription] = []
    /// The most severe warning since ``takeWarning()``; nil if there was none.
    private var warning: MemoryPressureLevel?
    private let logger: Logger

    /// The signal's level from which a warning counts as critical. GLib defines the levels 50, 100 and 255.
    private static let criticalLevel: UInt8 = 255

    /// Connects to the available buses.
    ///
    /// - Parameters:
    ///   - systemAddress: The address of the system bus.
    ///   - sessionAddress: The address of the session bus; nil if there is none.
    init(systemAddress: String = BusAddress.system, sessionAddress: String? = BusAddress.session, logger: Logger) {
        self.logger = logger
        watch(
            systemAddress, service: "org.freedesktop.LowMemoryMonitor", path: "/org/freedesktop/LowMemoryMonitor",
            interface: "org.freedesktop.LowMemoryMonitor")
        guard let sessionAddress else { return }
        watch(
            sessionAddress, service: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
            interface: "org.freedesktop.portal.MemoryMonitor")
    }

    /// Subscribes to the low-memory signal of a service on the bus with this address.
    private func watch(_ address: String, service: String, path: String, interface: String) {
        do throws(BusError) {
            let connection = try BusConnection(address: address)
            let rule =
                "type='signal',sender='\(service)',path='\(path)',interface='\(interface)',member='LowMemoryWarning'"
            let slot = try connection.watch(rule) { [weak self] signal in
                guard case .byte(let level)? = signal.arguments.first else { return }
                self?.recordWarning(level >= Self.criticalLevel ? .critical : .warning)
            }
            subscriptions.append(Subscription(connection: connection, slot: slot))
        } catch { logger.debug("no warnings of \(service): \(error)") }
    }

    /// Records a warning; keeps the most severe one.
    private func recordWarning(_ level: MemoryPressureLevel) { warning = max(warning ?? level, level) }

    /// The descriptors to poll.
    var entries: [Poll.Entry] { subscriptions.map { Poll.Entry($0.connection.descriptor, $0.connection.events) } }
    /// The host time at which ``process()`` must be called if no event arrives before; nil if there is no such time.
    var deadline: Int64? { subscriptions.compactMap(\.connection.deadline).min() }

    /// Handles the pending messages of the buses.
    func process() {
        subscriptions = subscriptions.filter { subscription in
            do throws(BusError) { try subscription.connection.process() } catch {
                logger.debug("a bus was lost: \(error)")
                return false
            }
            return true
        }
    }

    /// Returns the most severe warning since the last call; nil if there was none.
    func takeWarning() -> MemoryPressureLevel? { warning.take() }
}
