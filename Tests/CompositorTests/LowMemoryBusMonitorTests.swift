import CompositorProtocol
import DesktopBus
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

/// Tests on private message buses.
@Suite struct LowMemoryBusMonitorTests {
    private static let path = "/org/freedesktop/LowMemoryMonitor", name = "org.freedesktop.LowMemoryMonitor"

    private func makeBusMonitor(system: String, session: String? = nil) -> LowMemoryBusMonitor {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return LowMemoryBusMonitor(systemAddress: system, sessionAddress: session, logger: logger)
    }

    /// A D-Bus service that sends low-memory warnings.
    private final class WarningService {
        let connection: BusConnection
        private var ownsName = false

        /// Connects to a bus, and waits until the connection owns the name.
        ///
        /// - Parameter name: The bus name to own; nil for none.
        init(on bus: SessionBus, name: String? = LowMemoryBusMonitorTests.name) throws {
            connection = try BusConnection(address: bus.address)
            guard let name else { return }
            try connection.requestName(name) { [unowned self] in ownsName = $0 }
            try process { ownsName }
        }

        func warn(
            _ level: UInt8, interface: String = LowMemoryBusMonitorTests.name,
            path: String = LowMemoryBusMonitorTests.path
        ) throws {
            try connection.emit("LowMemoryWarning", of: interface, at: path, [.byte(level)])
            // When the bus has answered a later call, it has received the signal.
            var hasAnswered = false
            try connection.call(.init(bus: "GetId")) { _ in hasAnswered = true }
            try process { hasAnswered }
        }

        private func process(until isMet: () -> Bool) throws {
            let deadline = Deadline.after(.seconds(10))
            while !isMet() {
                guard MonotonicTime.now < deadline else { throw TestFailure("the message bus does not answer") }
                var entries = [Poll.Entry(connection.descriptor, connection.events)]
                try Poll.wait(&entries, until: [connection.deadline, deadline].compactMap(\.self).min())
                try connection.process()
            }
        }
    }

    /// Processes bus messages until `readValue` returns a result that is not nil, and returns that result.
    private func wait<Value>(_ busMonitor: LowMemoryBusMonitor, _ readValue: () -> Value?) throws -> Value {
        let deadline = Deadline.after(.seconds(10))
        while true {
            if let result = readValue() { return result }
            guard MonotonicTime.now < deadline else { throw TestFailure("nothing arrived") }
            var entries = busMonitor.entries
            try Poll.wait(&entries, until: [busMonitor.deadline, deadline].compactMap(\.self).min())
            busMonitor.process()
        }
    }

    /// Processes bus messages until the bus has registered the subscriptions of `busMonitor`.
    private func waitForSubscriptions(of busMonitor: LowMemoryBusMonitor, _ service: WarningService) throws {
        let deadline = Deadline.after(.seconds(10))
        while MonotonicTime.now < deadline {
            try service.warn(50)
            busMonitor.process()
            if busMonitor.takeWarning() != nil { return }
        }
        throw TestFailure("no warning arrived")
    }

    @Test("a warning of the low-memory monitor arrives with its level, and one of another program does not")
    func warningOfTheMonitorArrivesWithItsLevel() throws {
        let bus = try SessionBus(), busMonitor = makeBusMonitor(system: bus.address)
        let monitor = try WarningService(on: bus), otherProgram = try WarningService(on: bus, name: nil)
        try waitForSubscriptions(of: busMonitor, monitor)
        for (level, expected) in [(50, .warning), (100, .warning), (255, .critical)] as [(UInt8, MemoryPressureLevel)] {
            // Only the owner of the bus name may warn: the first accepted warning is that of `monitor`.
            try otherProgram.warn(level == 255 ? 50 : 255)
            try monitor.warn(level)
            #expect(try wait(busMonitor, busMonitor.takeWarning) == expected)
        }
    }

    @Test func warningOfTheDesktopPortalArrives() throws {
        let bus = try SessionBus(), busMonitor = makeBusMonitor(system: bus.address, session: bus.address)
        let monitor = try WarningService(on: bus)
        let portal = try WarningService(on: bus, name: "org.freedesktop.portal.Desktop")
        try waitForSubscriptions(of: busMonitor, monitor)
        busMonitor.process()
        _ = busMonitor.takeWarning()
        try portal.warn(
            255, interface: "org.freedesktop.portal.MemoryMonitor", path: "/org/freedesktop/portal/desktop")
        #expect(try wait(busMonitor, busMonitor.takeWarning) == .critical)
    }

    @Test func lostAndMissingBusesAreIgnored() throws {
        let bus = try SessionBus(), busMonitor = makeBusMonitor(system: bus.address)
        try waitForSubscriptions(of: busMonitor, try WarningService(on: bus))
        #expect(busMonitor.entries.count == 1)
        try bus.end()
        try wait(busMonitor) { busMonitor.entries.isEmpty ? () : nil }
        #expect(makeBusMonitor(system: "unix:path=/nowhere").entries.isEmpty)
    }
}
