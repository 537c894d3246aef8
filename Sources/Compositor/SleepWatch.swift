import DesktopBus
import Logging
import SystemCalls

/// The watch for wake-ups of the machine: logind's signal `PrepareForSleep` on the system bus, or a difference of the
/// clocks if logind is missing or late. Polled by the compositor's event loop; never waits.
final class SleepWatch {
    private var detector = SleepDetector(asleep: MonotonicTime.asleep)
    private var hasWoken = false
    private var link: (connection: BusConnection, slot: BusSlot)?
    private let logger: Logger

    init(address: String = BusAddress.system, logger: Logger) {
        self.logger = logger
        do throws(BusError) {
            let connection = try BusConnection(address: address)
            // Only logind may own this name on the system bus.
            let rule =
                "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',"
                + "interface='org.freedesktop.login1.Manager',member='PrepareForSleep'"
            let slot = try connection.watch(rule) { [weak self] signal in
                guard case .bool(let begins)? = signal.arguments.first else { return }
                self?.prepareForSleep(begins)
            }
            link = (connection, slot)
        } catch { logger.debug("without logind, only the clocks reveal a sleep: \(error)") }
    }

    /// The descriptor to poll; -1, which polling ignores, without a connection.
    var descriptor: Int32 { link?.connection.descriptor ?? -1 }
    var events: Poll.Events { link?.connection.events ?? [] }
    var deadline: Int64? { link?.connection.deadline }

    /// Handles messages of the bus.
    func process() {
        do throws(BusError) {
            try link?.connection.process()
        } catch {
            logger.debug("without logind, only the clocks reveal a sleep: \(error)")
            link = nil
        }
    }

    /// Returns whether the machine has woken up since the last call.
    func takeWake() -> Bool {
        if detector.look(asleep: MonotonicTime.asleep) { hasWoken = true }
        defer { hasWoken = false }
        return hasWoken
    }

    private func prepareForSleep(_ begins: Bool) {
        if detector.prepareForSleep(begins, asleep: MonotonicTime.asleep) { hasWoken = true }
    }
}
