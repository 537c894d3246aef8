import DesktopBus
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

/// Tests on private message buses.
@Suite struct LockMonitorTests {
    /// A logind with one session.
    private final class Logind {
        static let name = "org.freedesktop.login1", session = "/org/freedesktop/login1/session/_31"
        let connection: BusConnection
        var isLocked = false
        /// The path of the session that `GetSession` returns.
        var path = Logind.session
        private var slots: [BusSlot] = []
        private var ownsName = false

        /// Starts the service, and waits until it owns its name.
        ///
        /// - Parameter pathType: The D-Bus type of the session's path. With the type `s`, the path can be invalid.
        init(on bus: SessionBus, pathType: String = "o") throws {
            connection = try BusConnection(address: bus.address)
            let getSession = BusInterface.Method(
                "GetSession", [.init("session", "s")], results: [.init("path", pathType)]
            ) { [unowned self] arguments throws(BusError) in
                let knownPath = arguments == [.string("1")] ? path : "/"
                return [pathType == "o" ? .objectPath(knownPath) : .string(knownPath)]
            }
            let hint = BusInterface.Property("LockedHint", "b") { [unowned self] in .bool(isLocked) }
            for (path, interface) in [
                ("/org/freedesktop/login1", BusInterface(Self.name + ".Manager", methods: [getSession])),
                (Self.session, BusInterface(Self.name + ".Session", properties: [hint])),
            ] {
                slots.append(try connection.export(BusObject([interface]), at: path))
            }
            try connection.requestName(Self.name) { [unowned self] in ownsName = $0 }
            try BusLoop.run([connection]) { ownsName }
        }

        /// Locks or unlocks the screen.
        func set(_ isLocked: Bool) throws {
            self.isLocked = isLocked
            try connection.emitChanges(["LockedHint": .bool(isLocked)], of: Self.name + ".Session", at: Self.session)
        }
    }

    private let bus: SessionBus

    init() throws { bus = try SessionBus() }

    private func monitor(address: String? = nil, session: String = "1") -> LockMonitor {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return LockMonitor(address: { address ?? bus.address }, session: session, logger: logger)
    }

    @Test func theLockOfTheSessionIsFollowed() throws {
        let logind = try Logind(on: bus), monitor = monitor()
        logind.isLocked = true
        try BusLoop.run([logind.connection], [monitor]) { monitor.isLocked }
        try logind.set(false)
        try BusLoop.run([logind.connection], [monitor]) { !monitor.isLocked }
        try logind.set(true)
        try BusLoop.run([logind.connection], [monitor]) { monitor.isLocked }
    }

    @Test func anUnknownSessionIsNotLocked() throws {
        let logind = try Logind(on: bus), known = monitor(), unknown = monitor(session: "2")
        logind.isLocked = true
        try BusLoop.run([logind.connection], [known, unknown]) { known.isLocked }
        #expect(!unknown.isLocked)
    }

    @Test func withoutABusTheScreenIsNotLocked() {
        let monitor = monitor(address: "unix:path=/nowhere")
        #expect(!monitor.isLocked && monitor.entries.isEmpty && monitor.deadline == nil)
    }

    @Test func aLostBusUnlocksTheScreen() throws {
        let logind = try Logind(on: bus), monitor = monitor()
        logind.isLocked = true
        try BusLoop.run([logind.connection], [monitor]) { monitor.isLocked }
        try bus.end()
        let isUnlocked = Deadline.poll(for: .seconds(10)) { () -> Bool? in
            monitor.process([], now: MonotonicTime.now)
            return monitor.isLocked ? nil : true
        }
        #expect(isUnlocked == true && monitor.entries.isEmpty)
    }

    @Test func aRestartedBusIsConnectedAgain() throws {
        var address = bus.address, logger = Logger(label: "test")
        logger.logLevel = .critical
        let monitor = LockMonitor(address: { address }, session: "1", logger: logger), logind = try Logind(on: bus)
        logind.isLocked = true
        try BusLoop.run([logind.connection], [monitor]) { monitor.isLocked }
        try bus.end()
        let attempt = Deadline.poll(for: .seconds(10)) { () -> Int64? in
            monitor.process([], now: MonotonicTime.now)
            return monitor.isLocked ? nil : monitor.deadline
        }
        let newBus = try SessionBus(), newLogind = try Logind(on: newBus)
        newLogind.isLocked = true
        address = newBus.address
        monitor.process([], now: try #require(attempt))
        try BusLoop.run([newLogind.connection], [monitor]) { monitor.isLocked }
    }

    @Test func aSessionThatCannotBeWatchedIsRequestedAgain() throws {
        let logind = try Logind(on: bus, pathType: "s"), monitor = monitor()
        (logind.isLocked, logind.path) = (true, "invalid")
        try BusLoop.run([logind.connection], [monitor]) { monitor.entries.isEmpty }
        #expect(!monitor.isLocked)
        logind.path = Logind.session
        let attempt = try #require(monitor.deadline)
        monitor.process([], now: attempt)
        try BusLoop.run([logind.connection], [monitor]) { monitor.isLocked }
    }
}
