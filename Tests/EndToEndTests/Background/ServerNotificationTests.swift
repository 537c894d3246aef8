import DesktopBus
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Notifications from servers, with the real processes and a distributor on a private session bus that starts the
/// service.
@Suite struct ServerNotificationTests {
    private let push: PushFixture
    private var fixture: BackgroundFixture { push.background }
    private var distributor: PushDistributor { push.distributor }
    private var desktop: NotificationServer { push.desktop }

    init() throws { push = try PushFixture() }

    /// Processes messages of the bus until the lines of the log meet a condition.
    private func waitForLog(_ isMet: ([String]) -> Bool) throws { try push.wait { isMet(fixture.log) } }

    private func startProbe(_ behaviour: String = "register", name: String = "probe") throws -> ChildProcess {
        let line = behaviour == "register" ? "endpoint https://push.example.org/1" : "start user"
        return try push.startProbe(behaviour, name: name, until: line)
    }

    @Test("an alert is shown after the program has completed its notification")
    func anAlertIsShownAfterTheCompletion() throws {
        let probe = try startProbe("wait")
        let payload = "{\"aps\":{\"content-available\":1,\"alert\":{\"body\":\"A & B\"}}}"
        let isKnown = try Deadline.poll(for: .seconds(20), every: .milliseconds(50)) { () -> Bool? in
            let list = try fixture.swiftplay("background")
            _ = try list.waitForExit(within: .seconds(20))
            return list.output.text.contains("(open)") ? true : nil
        }
        #expect(isKnown == true)
        let sender = try fixture.swiftplay("push", "send", "--to", "probe", payload)
        try waitForLog { $0.contains { $0.hasPrefix("notification ") } }
        #expect(try sender.waitForExit().isSuccess)
        // The service has shown every banner that it shows at the receipt before it answers another command.
        #expect(try fixture.swiftplay("background").waitForExit(within: .seconds(20)).isSuccess)
        for connection in [distributor.connection, desktop.connection] { try connection.process() }
        #expect(desktop.received.isEmpty && !fixture.log.contains("completed"))
        probe.signal(SIGUSR1)
        try waitForLog { _ in !desktop.received.isEmpty }
        #expect(desktop.texts.map { $0[2] } == ["A &amp; B"] && probe.isRunning)
    }

    @Test("a message of a server starts the service and the program, which receives all of its bytes")
    func aMessageStartsTheServiceAndTheProgram() throws {
        try push.kill(startProbe())
        let token = try #require(distributor.registered.first?[1])
        let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
        try distributor.call("Message", [.string(token), .bytes(bytes), .string("message-1")])
        try waitForLog { $0.contains("completed") }
        #expect(fixture.log.contains("bytes " + bytes.map { "\($0)" }.joined(separator: ",")))
        // The started service has registered with the same token, and the program has learnt its new endpoint.
        #expect(Set(distributor.registered.map { $0[1] }) == [token] && fixture.log.contains("start background"))
        var isAccepted: Bool?
        try distributor.call(
            "Message", [.string(token), .bytes(bytes + [0]), .string("message-2")]
        ) { isAccepted = $0 }
        try waitForLog { _ in isAccepted != nil }
        #expect(isAccepted == false && fixture.log.count { $0.hasPrefix("notification ") } == 1)
    }

    @Test func aProgramLearnsItsNewEndpointAndTheEndOfItsRegistration() throws {
        let probe = try startProbe()
        let token = try #require(distributor.registered.first?[1])
        try distributor.call("NewEndpoint", [.string(token), .string("https://push.example.org/2")])
        try waitForLog { $0.contains("endpoint https://push.example.org/2") }
        try distributor.call("Unregistered", [.string(token)])
        try waitForLog { $0.last?.hasPrefix("no endpoint: ") == true }
        #expect(probe.isRunning)
    }

    @Test("a program that has unregistered receives nothing from its old endpoint, and is not started for it")
    func anUnregisteredProgramIsNotWoken() throws {
        let probe = try startProbe(), other = try startProbe(name: "other")
        let tokens = distributor.registered.map { $0[1] }
        try #require(Set(tokens).count == 2)
        probe.signal(SIGUSR1)
        try waitForLog { _ in distributor.unregistered == [tokens[0]] }
        for (number, text) in ["to-running", "to-stopped"].enumerated() {
            let message = [BusValue.bytes(Array(text.utf8)), .string("message-\(number)")]
            try distributor.call("Message", [.string(tokens[0])] + message)
            try distributor.call("Message", [.string(tokens[1])] + message)
            try waitForLog { $0.contains { $0.hasPrefix("notification \(text)") } }
            probe.signal(SIGKILL)
            _ = try probe.waitForExit()
        }
        #expect(fixture.log.count { $0.hasPrefix("notification ") } == 2 && !fixture.log.contains("start background"))
        // The service leaves the bus when its last program has unregistered.
        other.signal(SIGUSR1)
        try waitForLog { _ in distributor.unregistered == tokens }
    }
}
