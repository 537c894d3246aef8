import DesktopBus
import Glibc
import TestSupport

/// The processes of background transfers on a private session bus, which starts the service, with a distributor of
/// notifications and a desktop that shows banners.
final class PushFixture {
    let background: BackgroundFixture
    let distributor: PushDistributor
    let desktop: NotificationServer
    private let bus: SessionBus

    init() throws {
        background = try BackgroundFixture()
        bus = try SessionBus(
            services: background.scratch.file("data/dbus-1/services"), environment: background.environment,
            runtimeDirectory: background.runtime)
        background.sessionBus = bus.address
        distributor = try PushDistributor("test", on: bus)
        distributor.endpoint = "https://push.example.org/1"
        desktop = try NotificationServer(on: bus)
    }

    /// Processes messages of the bus until a condition is met.
    func wait(until isMet: () -> Bool) throws {
        try BusLoop.run([distributor.connection, desktop.connection]) { isMet() }
    }

    /// Starts a program for notifications as a user does, and waits until it has logged a line once more.
    func startProbe(_ behaviour: String, name: String = "probe", until line: String) throws -> ChildProcess {
        let count = background.log.count { $0 == line }
        let probe = try ChildProcess(
            Products.path("BackgroundProbe"), [background.scratch.file("log"), "wakes", name, behaviour],
            environment: background.environment, runtimeDirectory: background.runtime)
        try wait { background.log.count { $0 == line } > count }
        return probe
    }

    /// Ends a program and the service as crashes do, and waits until the bus has noticed it. A message that follows
    /// starts the service.
    func kill(_ probe: ChildProcess) throws {
        probe.signal(SIGKILL)
        _ = try probe.waitForExit()
        try background.kill("swiftplay-backgroundd")
        try BusLoop.run([distributor.connection]) { try !ownsName() }
    }

    /// Whether the service owns its name on the bus.
    private func ownsName() throws -> Bool {
        var result: Result<[BusValue], BusError>?
        let call = BusConnection.Call(bus: "NameHasOwner", [.string("org.swiftplay.Background")])
        try distributor.connection.call(call) { result = $0 }
        try BusLoop.run([distributor.connection]) { result != nil }
        return try result?.get() == [.bool(true)]
    }
}
