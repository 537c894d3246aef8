import DesktopBus
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Notifications from servers, with the real processes and a distributor on a private session bus that starts the
/// service.
@Suite struct ServerNotificationTests {
    /// A distributor that gives each program an endpoint, and the desktop that shows banners.
    private final class Distributor {
        let connection: BusConnection
        private(set) var tokens: [String] = []
        /// The bodies of the banners that the desktop was asked to show.
        private(set) var banners: [String] = []
        private var slots: [BusSlot] = []

        init(on bus: SessionBus) throws {
            connection = try BusConnection(address: bus.address)
            let register = BusInterface.Method(
                "Register", [.init("service", "s"), .init("token", "s"), .init("description", "s")],
                results: [.init("result", "s"), .init("reason", "s")]
            ) { [unowned self] arguments throws(BusError) in
                let texts = arguments.compactMap(\.text)
                tokens.append(texts[1])
                try call("NewEndpoint", [.string(texts[1]), .string("https://push.example.org/\(tokens.count)")])
                return [.string("REGISTRATION_SUCCEEDED"), .string("")]
            }
            let types = ["s", "u", "s", "s", "s", "as", "a{sv}", "i"]
            let notify = BusInterface.Method(
                "Notify", types.enumerated().map { .init("argument\($0)", $1) }, results: [.init("id", "u")]
            ) { [unowned self] arguments in
                banners.append(arguments[4].text ?? "")
                return [.uint32(1)]
            }
            slots = [
                try connection.export(
                    BusObject([BusInterface("org.unifiedpush.Distributor1", methods: [register])]),
                    at: "/org/unifiedpush/Distributor"),
                try connection.export(
                    BusObject([BusInterface("org.freedesktop.Notifications", methods: [notify])]),
                    at: "/org/freedesktop/Notifications"),
            ]
            for name in ["org.unifiedpush.Distributor.test", "org.freedesktop.Notifications"] {
                try connection.requestName(name) { _ in }
            }
        }

        /// Calls a method of the service, which the bus starts if necessary.
        func call(
            _ member: String, _ arguments: [BusValue], onAnswer: @escaping (Bool) -> Void = { _ in }
        ) throws(BusError) {
            let call = BusConnection.Call(
                to: "org.swiftplay.Background", path: "/org/unifiedpush/Connector",
                interface: "org.unifiedpush.Connector1", member, arguments)
            try connection.call(call, startsService: true, timeout: 60_000_000_000) { result in
                onAnswer((try? result.get()) != nil)
            }
        }
    }

    private let fixture: BackgroundFixture
    private let bus: SessionBus
    private let distributor: Distributor

    init() throws {
        fixture = try BackgroundFixture()
        bus = try SessionBus(
            services: fixture.scratch.file("data/dbus-1/services"), environment: fixture.environment,
            runtimeDirectory: fixture.runtime)
        fixture.sessionBus = bus.address
        distributor = try Distributor(on: bus)
    }

    /// Lets the distributor work until the log has a line that meets a condition.
    private func waitForLog(_ isMet: ([String]) -> Bool) throws {
        let deadline = Deadline.after(.seconds(40)), connection = distributor.connection
        while !isMet(fixture.log) {
            guard MonotonicTime.now < deadline else { throw TestFailure("the log lacks a line: \(fixture.log)") }
            var entries = [Poll.Entry(connection.descriptor, connection.events)]
            try Poll.wait(&entries, until: MonotonicTime.now + 20_000_000)
            try connection.process()
        }
    }

    private func startProbe() throws -> ChildProcess {
        let probe = try ChildProcess(
            Products.path("BackgroundProbe"), [fixture.scratch.file("log"), "wakes", "probe", "register"],
            environment: fixture.environment, runtimeDirectory: fixture.runtime)
        try waitForLog { $0.contains("endpoint https://push.example.org/1") }
        return probe
    }

    @Test("an alert is shown after the program has completed its notification")
    func anAlertIsShownAfterTheCompletion() throws {
        let probe = try startProbe()
        let payload = "{\"aps\":{\"content-available\":1,\"alert\":{\"body\":\"A & B\"}}}"
        let sender = try fixture.swiftplay("push", "send", "--to", "probe", payload)
        try waitForLog { _ in !distributor.banners.isEmpty }
        #expect(distributor.banners == ["A &amp; B"])
        #expect(fixture.log.contains { $0.hasPrefix("notification ") })
        #expect(try sender.waitForExit().isSuccess && probe.isRunning)
    }

    @Test("a message of a server starts the service and the program, which receives all of its bytes")
    func aMessageStartsTheServiceAndTheProgram() throws {
        let probe = try startProbe()
        probe.signal(SIGKILL)
        _ = try probe.waitForExit()
        try fixture.kill("swiftplay-backgroundd")
        let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
        try distributor.call("Message", [.string(distributor.tokens[0]), .bytes(bytes), .string("message-1")])
        try waitForLog { $0.contains("completed") }
        #expect(fixture.log.contains("bytes " + bytes.map { "\($0)" }.joined(separator: ",")))
        // The started service has registered with the same token, and the program has learnt its new endpoint.
        #expect(Set(distributor.tokens).count == 1 && fixture.log.contains("start background"))
        var isAccepted: Bool?
        try distributor.call(
            "Message", [.string(distributor.tokens[0]), .bytes(bytes + [0]), .string("message-2")]
        ) { isAccepted = $0 }
        try waitForLog { _ in isAccepted != nil }
        #expect(isAccepted == false && fixture.log.count { $0.hasPrefix("notification ") } == 1)
    }
}
