import DesktopBus
import Logging
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Tests on private message buses.
@Suite struct MachineMonitorTests {
    /// Services of the system whose properties the test sets.
    private final class Services {
        let connection: BusConnection
        var isMetered = false, isOnBattery = false, charge = 80.0, profile = "balanced"
        private var slots: [BusSlot] = []

        static let network = "org.freedesktop.NetworkManager", networkPath = "/org/freedesktop/NetworkManager"
        static let power = "org.freedesktop.UPower"
        static let profiles = "net.hadess.PowerProfiles"

        init(on bus: SessionBus) throws {
            connection = try BusConnection(address: bus.address)
            let metered = BusInterface.Property("Metered", "u") { [unowned self] in .uint32(isMetered ? 1 : 2) }
            let onBattery = BusInterface.Property("OnBattery", "b") { [unowned self] in .bool(isOnBattery) }
            let percentage = BusInterface.Property("Percentage", "d") { [unowned self] in .double(charge) }
            let active = BusInterface.Property("ActiveProfile", "s") { [unowned self] in .string(profile) }
            for (path, interface, property) in [
                (Self.networkPath, Self.network, metered), ("/org/freedesktop/UPower", Self.power, onBattery),
                ("/org/freedesktop/UPower/devices/DisplayDevice", Self.power + ".Device", percentage),
                ("/net/hadess/PowerProfiles", Self.profiles, active),
            ] {
                let object = BusObject([BusInterface(interface, properties: [property])])
                slots.append(try connection.export(object, at: path))
            }
        }

        func own(_ name: String) throws { try connection.requestName(name) { _ in } }
    }

    /// Receives the reports of a monitor.
    private final class Reports {
        var all: [MachineConditions] = []
    }

    private let bus: SessionBus
    private let services: Services
    private let reports = Reports()

    init() throws {
        bus = try SessionBus()
        services = try Services(on: bus)
    }

    private func monitor(address: String? = nil) -> MachineMonitor {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return MachineMonitor(address: address ?? bus.address, logger: logger) { [reports] in reports.all.append($0) }
    }

    /// Processes messages until a condition is met.
    private func process(_ monitor: MachineMonitor, until isMet: () -> Bool) throws {
        try BusLoop.run([services.connection], [monitor], until: isMet)
    }

    @Test func theStateOfAllServicesIsReported() throws {
        (services.isMetered, services.isOnBattery, services.profile) = (true, true, "power-saver")
        for name in [Services.network, Services.power, Services.profiles] { try services.own(name) }
        let monitor = monitor()
        var expected = MachineConditions()
        (expected.isMetered, expected.power, expected.savesPower) = (true, .battery(percent: 80), true)
        try process(monitor) { reports.all.last == expected }
        #expect(monitor.conditions == expected)
    }

    @Test func aChangeIsReportedOnce() throws {
        try services.own(Services.network)
        let monitor = monitor()
        try process(monitor) { monitor.conditions == MachineConditions() }
        reports.all = []
        services.isMetered = true
        try services.connection.emitChanges(
            ["Metered": .uint32(1)], of: Services.network, at: Services.networkPath)
        try process(monitor) { reports.all.last?.isMetered == true }
        services.isMetered = false
        try services.connection.emitChanges(
            ["Metered": .uint32(2)], of: Services.network, at: Services.networkPath)
        try process(monitor) { reports.all.last?.isMetered == false }
        #expect(reports.all.count == 2)
    }

    @Test func untilTheServicesAnswerTheWorstIsAssumedForAFewSeconds() throws {
        // The services have their names, and do not answer because the test does not process their messages.
        var count = 0
        for name in [Services.network, Services.power, Services.profiles, Services.power + ".PowerProfiles"] {
            try services.connection.requestName(name) { if $0 { count += 1 } }
        }
        try BusLoop.run([services.connection]) { count == 4 }
        let now = MonotonicTime.now, monitor = monitor()
        #expect(monitor.conditions.isMetered && monitor.conditions.power == .battery(percent: 0))
        #expect(monitor.conditions.connectivity == .full && reports.all == [monitor.conditions])
        #expect((monitor.deadline ?? .max) <= MonotonicTime.now + 5 * MonotonicTime.nanosecondsPerSecond)
        monitor.process([], now: now)
        #expect(monitor.conditions.isMetered)
        let end = MonotonicTime.now + 5 * MonotonicTime.nanosecondsPerSecond
        monitor.process([], now: end)
        #expect(monitor.conditions == MachineConditions())
        // The missing answers are awaited no longer: the loop is not called again and again.
        #expect((monitor.deadline ?? .max) > end)
    }

    @Test func aServiceThatEndsPermitsEverything() throws {
        services.isMetered = true
        try services.own(Services.network)
        let monitor = monitor()
        try process(monitor) { monitor.conditions.isMetered && monitor.conditions.power == .mains }
        try services.connection.call(.init(bus: "ReleaseName", [.string(Services.network)]))
        try process(monitor) { !monitor.conditions.isMetered }
    }

    @Test func aLostBusPermitsEverythingAndIsSearched() throws {
        services.isMetered = true
        try services.own(Services.network)
        let monitor = monitor()
        try process(monitor) { monitor.conditions.isMetered && monitor.conditions.power == .mains }
        let now = MonotonicTime.now
        try bus.end()
        let deadline = Deadline.after(.seconds(20))
        while !monitor.entries.isEmpty {
            guard MonotonicTime.now < deadline else { throw TestFailure("the loss was not noticed") }
            var entries = monitor.entries
            try Poll.wait(&entries, until: deadline)
            monitor.process([], now: now)
        }
        let second = MonotonicTime.nanosecondsPerSecond
        #expect(!monitor.conditions.isMetered && monitor.deadline == now + second)
        monitor.process([], now: now + second)
        #expect(monitor.deadline == now + 3 * second)
    }

    @Test func withoutABusNothingIsPlanned() {
        let monitor = monitor(address: "unix:path=/nowhere")
        #expect(monitor.entries.isEmpty && monitor.deadline == nil && monitor.conditions == MachineConditions())
    }
}
