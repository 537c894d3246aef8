import DesktopBus
import Logging
import SystemCalls

/// Detects that the machine has woken up: from logind's signal `PrepareForSleep` on the system bus, or, if logind is
/// missing or late, from the difference between a clock that stops during sleep and a clock that does not. Polled by
/// the compositor's event loop; never waits.
final class SleepMonitor {
    /// Combines the two sources: logind's signal and the comparison of the clocks.
    private var detector = SleepDetector(totalSleepTime: MonotonicTime.suspendedTime)
    /// Whether the machine has woken up since the last ``takeWakeUp()``.
    private var hasWoken = false
    /// The connection to the system bus and the registration for logind's signal; `nil` without logind.
    private var logindConnection: (connection: BusConnection, slot: BusSlot)?
    private let logger: Logger

    /// Connects to the system bus.
    init(address: String = BusAddress.system, logger: Logger) {
        self.logger = logger
        do throws(BusError) {
            let connection = try BusConnection(address: address)
            let slot = try connection.watchSleep { [weak self] in self?.prepareForSleep($0) }
            logindConnection = (connection, slot)
        } catch { logger.debug("without logind, only a jump between clocks shows that the machine slept: \(error)") }
    }

    /// The descriptor to poll; -1, which polling ignores, without a connection.
    var descriptor: Int32 { logindConnection?.connection.descriptor ?? -1 }
    /// The events to poll for.
    var events: Poll.Events { logindConnection?.connection.events ?? [] }
    /// The host time at which ``process()`` must be called if no event arrives before; `nil` if there is no such time.
    var deadline: Int64? { logindConnection?.connection.deadline }

    /// Handles the pending messages of the system bus.
    func process() {
        do throws(BusError) {
            try logindConnection?.connection.process()
        } catch {
            logger.debug("without logind, only a jump between clocks shows that the machine slept: \(error)")
            logindConnection = nil
        }
    }

    /// Returns whether the machine has woken up since the last call.
    func takeWakeUp() -> Bool {
        if detector.detectWakeUp(totalSleepTime: MonotonicTime.suspendedTime) { hasWoken = true }
        defer { hasWoken = false }
        return hasWoken
    }

    /// Handles logind's announcement that a sleep begins or has ended.
    private func prepareForSleep(_ begins: Bool) {
        if detector.prepareForSleep(begins, totalSleepTime: MonotonicTime.suspendedTime) { hasWoken = true }
    }
}
