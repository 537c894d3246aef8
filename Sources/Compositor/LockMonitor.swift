import DesktopBus
import Glibc
import Logging
import SystemCalls

/// Watches whether the desktop has locked the screen: the property `LockedHint` of the user's session at logind, on the
/// system bus. Without a bus, logind or a session, the screen counts as unlocked.
///
/// A bus that is lost after the first connection, or on which the session cannot be watched, is connected again. A bus
/// that is missing at the start is not connected later: the system bus exists before any user logs in.
///
/// Polled by the compositor's event loop; never waits.
final class LockMonitor: EventSource {
    /// Whether the screen is locked.
    var isLocked: Bool { properties?.values["LockedHint"] == .bool(true) }
    private let logger: Logger
    /// The connection to the bus; nil without one.
    private var connection: BusConnection?
    /// The properties of the session; nil until logind has named its object.
    private var properties: BusProperties?
    /// The attempts to connect again.
    private var reconnection = BusReconnection()
    /// The identifier of the session.
    private let session: String
    /// Returns the address of the bus.
    private let address: () -> String

    /// Connects to the bus, and requests the session.
    ///
    /// - Parameter session: The identifier of the session; nil for that of this process.
    init(address: @escaping () -> String = { BusAddress.system }, session: String? = nil, logger: Logger) {
        (self.address, self.logger) = (address, logger)
        self.session = session ?? getenv("XDG_SESSION_ID").map { String(cString: $0) } ?? "auto"
        connect(now: MonotonicTime.now)
        // Without a system bus, no attempts wake the compositor.
        if connection == nil { reconnection = BusReconnection() }
    }

    private func connect(now: Int64) {
        do throws(BusError) {
            let connection = try BusConnection(address: address())
            self.connection = connection
            let call = BusConnection.Call(
                to: "org.freedesktop.login1", path: "/org/freedesktop/login1",
                interface: "org.freedesktop.login1.Manager", "GetSession", [.string(session)])
            try connection.call(call) { [weak self] result in self?.handleSession(try? result.get().first?.text) }
        } catch { handleLoss(error, now: now) }
    }

    var entries: [Poll.Entry] { connection.map { [Poll.Entry($0.descriptor, $0.events)] } ?? [] }
    var deadline: Int64? { connection.map(\.deadline) ?? reconnection.time }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if reconnection.takeAttempt(now: now) { connect(now: now) }
        do throws(BusError) { try connection?.process() } catch { handleLoss(error, now: now) }
    }

    /// Watches the session that logind has named; nil if logind is missing or knows no such session.
    private func handleSession(_ path: String?) {
        guard let path, let connection else {
            return logger.debug("the lock of the screen is not known: logind knows no session")
        }
        let source = BusProperties.Source(
            service: "org.freedesktop.login1", path: path, interface: "org.freedesktop.login1.Session")
        do throws(BusError) {
            properties = try BusProperties(["LockedHint"], of: source, on: connection) { [weak self] in
                self?.reconnection.handleAnswer()
            }
        } catch { handleLoss(error, now: MonotonicTime.now) }
    }

    /// Closes the connection, and plans the next attempt to connect.
    private func handleLoss(_ error: BusError, now: Int64) {
        logger.debug("the lock of the screen is not known: \(error)")
        (connection, properties) = (nil, nil)
        // A connection that is closed while it is processed can report a second error.
        if reconnection.time == nil { reconnection.handleLoss(now: now) }
    }
}
