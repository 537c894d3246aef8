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

    private func makeMemoryBus(system: String, session: String? = nil) -> LowMemoryBusMonitor {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return LowMemoryBusMonitor(systemAddress: system, sessionAddress: session, logger: logger)
    }

    /// A D-Bus service that sends low-memory warnings.
    private final class Service {
        let connection: BusConnection
        private var ownsName = false

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
            let end = Deadline.after(.seconds(10))
            while !isMet() {
                guard MonotonicTime.now < end else { throw TestFailure("the message bus does not answer") }
                var entries = [Poll.Entry(connection.descriptor, connection.events)]
                try Poll.wait(&entries, until: [connection.deadline, end].compactMap(\.self).min())
                try connection.process()
            }
        }
    }

    /// Processes bus messages until `value` returns a result that is not nil, and returns that result.
    private func wait<Value>(_ memory: LowMemoryBusMonitor, _ value: () -> Value?) throws -> Value {
        let end = Deadline.after(.seconds(10))
        while true {
            if let found = value() { return found }
            guard MonotonicTime.now < end else { throw TestFailure("nothing arrived") }
            var entries = memory.entries
            try Poll.wait(&entries, until: [memory.deadline, end].compactMap(\.self).min())
            memory.process()
        }
    }

    /// Processes bus messages until the bus has registered the subscriptions of `memory`.
    private func connect(_ memory: LowMemoryBusMonitor, _ service: Service) throws {
        let end = Deadline.after(.seconds(10))
        while MonotonicTime.now < end {
            try service.warn(50)
            memory.process()
            if memory.takeWarning() != nil { return }
        }
        throw TestFailure("no warning arrived")
    }

    @Test("a warning of the low-memory monitor arrives with its level, and one of another program does not")
    func monitorWarns() throws {
        let bus = try SessionBus(), memory = makeMemoryBus(system: bus.address)
        let monitor = try Service(on: bus), other = try Service(on: bus, name: nil)
        try connect(memory, monitor)
        for (level, expected) in [(50, .warning), (100, .warning), (255, .critical)] as [(UInt8, MemoryPressureLevel)] {
            // The warning of the other program is ignored: the first warning that arrives is the monitor's.
            try other.warn(level == 255 ? 50 : 255)
            try monitor.warn(level)
            #expect(try wait(memory, memory.takeWarning) == expected)
        }
    }

    @Test func theDesktopPortalWarns() throws {
        let bus = try SessionBus(), memory = makeMemoryBus(system: bus.address, session: bus.address)
        let monitor = try Service(on: bus), portal = try Service(on: bus, name: "org.freedesktop.portal.Desktop")
        try connect(memory, monitor)
        memory.process()
        _ = memory.takeWarning()
        try portal.warn(
            255, interface: "org.freedesktop.portal.MemoryMonitor", path: "/org/freedesktop/portal/desktop")
        #expect(try wait(memory, memory.takeWarning) == .critical)
    }

    @Test func aLostBusAndAMissingOneAreIgnored() throws {
        let bus = try SessionBus(), memory = makeMemoryBus(system: bus.address)
        try connect(memory, try Service(on: bus))
        #expect(memory.entries.count == 1)
        try bus.end()
        try wait(memory) { memory.entries.isEmpty ? () : nil }
        #expect(makeMemoryBus(system: "unix:path=/nowhere").entries.isEmpty)
    }
}
