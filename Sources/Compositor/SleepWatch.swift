import DesktopBus
import Logging
import SystemCalls

/// Watches for the end of the machine's sleep: logind's `PrepareForSleep` on the system bus, and a jump of the clocks
/// where there is no logind or it is late. Part of the compositor's loop: polls, never waits.
final class SleepWatch {
    private var detector = SleepDetector(asleep: MonotonicTime.asleep)
    private var hasWoken = false
    private var link: (connection: BusConnection, slot: BusSlot)?
    private let logger: Logger

    init(address: String = BusAddress.system, logger: Logger) {
        self.logger = logger
        do throws(BusError) {
            let connection = try BusConnection(address: address)
            // The bus lets nobody but logind have its name.
            let rule =
                "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',"
                + "interface='org.freedesktop.login1.Manager',member='PrepareForSleep'"
            let slot = try connection.watch(rule) { [weak self] signal in
                guard case .bool(let begins)? = signal.arguments.first else { return }
                self?.prepareForSleep(begins)
            }
            link = (connection, slot)
        } catch { logger.debug("the machine's sleep is seen by the clocks alone: \(error)") }
    }

    /// -1, which polling passes over, without a connection.
    var descriptor: Int32 { link?.connection.descriptor ?? -1 }
    var events: Poll.Events { link?.connection.events ?? [] }
    var deadline: Int64? { link?.connection.deadline }

    /// Reads what came from the bus.
    func process() {
        do throws(BusError) {
            try link?.connection.process()
        } catch {
            logger.debug("the machine's sleep is seen by the clocks alone: \(error)")
            link = nil
        }
    }

    /// Whether the machine has woken up since the last call.
    func takeWake() -> Bool {
        if detector.look(asleep: MonotonicTime.asleep) { hasWoken = true }
        defer { hasWoken = false }
        return hasWoken
    }

    private func prepareForSleep(_ begins: Bool) {
        if detector.prepareForSleep(begins, asleep: MonotonicTime.asleep) { hasWoken = true }
    }
}
