import DesktopBus
import Logging
import SystemCalls
import TransferPolicy

/// Watches network and power: NetworkManager, UPower and the service of power profiles, on the system bus.
///
/// Used by the service's thread, whose event loop polls it. It never waits, and does not wake the loop while nothing
/// changes. Without a bus or a service, the conditions are those of a machine that may transfer. Until the services
/// have answered, the network counts as metered and the battery as empty.
final class MachineMonitor: EventSource {
    /// A connection to the bus, and the properties that are watched over it.
    private struct Link {
        let connection: BusConnection
        let network, power, battery: BusProperties
        /// The service of power profiles under its present name, and under the name that it had before version 0.20.
        let profile, oldProfile: BusProperties
        /// The registration for logind's signal about sleep.
        let sleep: BusSlot
        /// The host time until which missing answers are awaited; nil if none are.
        var answerDeadline: Int64?

        /// Stops to await answers if all have arrived or the time has passed.
        mutating func checkAnswers(now: Int64) {
            let isRead = [network, power, battery, profile, oldProfile].allSatisfy(\.isRead)
            if isRead || answerDeadline.map({ now >= $0 }) == true { answerDeadline = nil }
        }
    }

    /// The time for which answers are awaited, in nanoseconds. UPower is started by the request.
    private static let answerTimeout = 5 * MonotonicTime.nanosecondsPerSecond
    /// Called when the machine has woken up.
    var onWake: () -> Void = {}
    /// The state of network and power.
    private(set) var conditions = MachineConditions()
    private let address: String
    private let logger: Logger
    private let onChange: (MachineConditions) -> Void
    /// The connection to the bus; nil without one.
    private var link: Link?
    /// Whether ``conditions`` must be computed again.
    private var needsUpdate = true
    /// The attempts to connect after the bus was lost.
    private var reconnection = BusReconnection()

    /// Connects to the bus. A bus that does not exist now is not searched later: it is there before any user logs in.
    ///
    /// - Parameter onChange: Called after ``conditions`` have changed.
    init(
        address: String = BusAddress.system, logger: Logger, onChange: @escaping (MachineConditions) -> Void
    ) {
        (self.address, self.logger, self.onChange) = (address, logger, onChange)
        connect()
        update(now: MonotonicTime.now)
    }

    var entries: [Poll.Entry] { link.map { [Poll.Entry($0.connection.descriptor, $0.connection.events)] } ?? [] }
    var deadline: Int64? {
        guard let link else { return reconnection.time }
        return [link.connection.deadline, link.answerDeadline].compactMap { $0 }.min()
    }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if reconnection.takeAttempt(now: now) {
            connect()
            needsUpdate = true
            if link == nil { reconnection.handleLoss(now: now) }
        }
        do throws(BusError) { try link?.connection.process() } catch {
            logger.warning("the system bus was lost, network and power are not known: \(error)")
            (link, needsUpdate) = (nil, true)
            reconnection.handleLoss(now: now)
        }
        // While answers are awaited, the time matters, too.
        if needsUpdate || link?.answerDeadline != nil { update(now: now) }
    }

    private func connect() {
        do throws(BusError) {
            let connection = try BusConnection(address: address)
            let upower = "org.freedesktop.UPower", networkManager = "org.freedesktop.NetworkManager"
            func watch(
                _ names: Set<String>, _ service: String, _ path: String, _ interface: String
            ) throws(BusError) -> BusProperties {
                let source = BusProperties.Source(service: service, path: path, interface: interface)
                // NetworkManager is started with the machine, the others when somebody asks for them.
                return try BusProperties(names, of: source, startsService: service != networkManager, on: connection) {
                    [weak self] in
                    self?.needsUpdate = true
                    self?.reconnection.handleAnswer()
                }
            }
            link = Link(
                connection: connection,
                network: try watch(
                    ["Connectivity", "Metered", "State"], networkManager, "/org/freedesktop/NetworkManager",
                    networkManager),
                power: try watch(["OnBattery"], upower, "/org/freedesktop/UPower", upower),
                battery: try watch(
                    ["Percentage", "WarningLevel"], upower, "/org/freedesktop/UPower/devices/DisplayDevice",
                    upower + ".Device"),
                profile: try watch(
                    ["ActiveProfile"], upower + ".PowerProfiles", "/org/freedesktop/UPower/PowerProfiles",
                    upower + ".PowerProfiles"),
                oldProfile: try watch(
                    ["ActiveProfile"], "net.hadess.PowerProfiles", "/net/hadess/PowerProfiles",
                    "net.hadess.PowerProfiles"),
                sleep: try connection.watchSleep { [weak self] in if !$0 { self?.onWake() } },
                answerDeadline: MonotonicTime.now + Self.answerTimeout)
        } catch { logger.info("network and power are not known: \(error)") }
    }

    /// Computes the conditions from the properties, and reports a change.
    private func update(now: Int64) {
        needsUpdate = false
        link?.checkAnswers(now: now)
        var new = MachineConditions()
        if link?.answerDeadline != nil {
            (new.isMetered, new.power) = (true, .battery(percent: 0))
        } else if let link {
            let profile = link.profile.values.isEmpty ? link.oldProfile.values : link.profile.values
            new = MachineConditions(
                MachineProperties(
                    network: link.network.values, power: link.power.values, battery: link.battery.values,
                    profile: profile))
        }
        guard new != conditions else { return }
        conditions = new
        onChange(new)
    }
}
