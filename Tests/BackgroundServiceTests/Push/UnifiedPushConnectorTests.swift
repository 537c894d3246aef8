import DesktopBus
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import BackgroundService

/// Tests on private message buses.
@Suite struct UnifiedPushConnectorTests {
    private final class Events {
        var all: [PushConnectorEvent] = []
    }

    private let bus: SessionBus
    private let scratch: TemporaryDirectory
    private let connector: UnifiedPushConnector
    private let events = Events()

    init() throws {
        bus = try SessionBus()
        scratch = try TemporaryDirectory()
        connector = Self.connector(bus.address, scratch)
        connector.onEvent = { [events] in events.all.append($0) }
    }

    private static func connector(
        _ address: String?, _ scratch: TemporaryDirectory, preferred: String? = nil
    ) -> UnifiedPushConnector {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return UnifiedPushConnector(
            address: { address }, preferred: preferred,
            activation: ActivationFile(directory: scratch.file("services"), program: "/bin/true", logger: logger),
            logger: logger)
    }

    private func process(
        _ distributors: PushDistributor..., connector: UnifiedPushConnector? = nil, until isMet: () -> Bool
    ) throws { try BusLoop.run(distributors.map(\.connection), [connector ?? self.connector], until: isMet) }

    /// Starts a distributor, and waits until the connector has found it.
    private func start(_ name: String = "first") throws -> PushDistributor {
        let distributor = try PushDistributor(name, on: bus)
        connector.isNeeded = true
        try process(distributor) { connector.hasDistributor == true }
        return distributor
    }

    @Test func withoutRegistrationsThereIsNoConnection() {
        #expect(connector.entries.isEmpty && connector.deadline == nil && connector.hasDistributor == nil)
    }

    @Test func aMissingDistributorIsReportedAndALaterOneIsFound() throws {
        connector.isNeeded = true
        try process { connector.hasDistributor == false }
        let distributor = try PushDistributor("late", on: bus)
        try process(distributor) { connector.hasDistributor == true }
        #expect(events.all == [.distributor(isThere: false), .distributor(isThere: true)])
    }

    @Test func aProgramIsRegisteredUnderTheNameOfTheService() throws {
        let distributor = try start()
        connector.register(token: "token", description: "Podcasts")
        try process(distributor) { events.all.contains(.answer(token: "token", reason: nil)) }
        #expect(distributor.registered == [[UnifiedPushConnector.busName, "token", "Podcasts"]])
    }

    @Test(
        arguments: [
            (["NEW_ENDPOINT", ""], nil), (["REGISTRATION_FAILED", "NETWORK"], "NETWORK"),
            (["REGISTRATION_FAILED", ""], ""), (["", ""], ""),
        ] as [([String], String?)])
    func theAnswerOfTheDistributorIsReported(answer: [String], reason: String?) throws {
        let distributor = try start()
        distributor.answer = answer
        connector.register(token: "token", description: "")
        try process(distributor) { events.all.contains(.answer(token: "token", reason: reason)) }
    }

    @Test func callsOfTheDistributorArrive() throws {
        let distributor = try start()
        connector.register(token: "token", description: "")
        try process(distributor) { !distributor.registered.isEmpty }
        let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
        try distributor.call("NewEndpoint", [.string("token"), .string("https://example.org/a")])
        try distributor.call("Message", [.string("token"), .bytes(bytes), .string("7")])
        try distributor.call("Unregistered", [.string("")])
        try distributor.call("Unregistered", [.string("token")])
        try process(distributor) { events.all.last == .ended(token: "token") }
        #expect(
            events.all.suffix(3) == [
                .endpoint(token: "token", "https://example.org/a"), .message(token: "token", bytes, identifier: "7"),
                .ended(token: "token"),
            ])
    }

    @Test(arguments: [0, 4097])
    func messagesOfWrongSizesAreRefused(count: Int) throws {
        let distributor = try start()
        var isAccepted: Bool?
        try distributor.call(
            "Message", [.string("token"), .bytes(Array(repeating: 1, count: count)), .string("")]
        ) { isAccepted = $0 }
        try process(distributor) { isAccepted != nil }
        #expect(isAccepted == false && events.all == [.distributor(isThere: true)])
    }

    @Test func aRestartedDistributorIsReportedAgain() throws {
        let distributor = try start()
        try distributor.connection.call(
            .init(bus: "ReleaseName", [.string("org.unifiedpush.Distributor.first")]))
        try process(distributor) { connector.hasDistributor == false }
        try distributor.connection.requestName("org.unifiedpush.Distributor.first") { _ in }
        try process(distributor) { events.all.count == 3 }
        #expect(events.all.last == .distributor(isThere: true))
    }

    @Test func thePreferredDistributorIsUsed() throws {
        let first = try PushDistributor("a", on: bus), second = try PushDistributor("b", on: bus)
        var names = 0
        for distributor in [first, second] {
            try distributor.connection.call(.init(bus: "GetId")) { _ in names += 1 }
        }
        try process(first, second) { names == 2 }
        let connector = Self.connector(bus.address, scratch, preferred: "org.unifiedpush.Distributor.b")
        connector.isNeeded = true
        try process(first, second, connector: connector) { connector.hasDistributor == true }
        connector.register(token: "token", description: "")
        try process(first, second, connector: connector) { !second.registered.isEmpty }
        #expect(first.registered.isEmpty)
    }

    @Test func unregisteringTellsTheDistributor() throws {
        let distributor = try start()
        connector.unregister(token: "token")
        try process(distributor) { distributor.unregistered == ["token"] }
    }

    @Test func withoutABusTheConnectorTriesAgainLater() {
        let connector = Self.connector("unix:path=/nowhere", scratch)
        connector.isNeeded = true
        #expect(connector.hasDistributor == false && connector.entries.isEmpty)
        let deadline = connector.deadline ?? 0
        #expect(deadline > MonotonicTime.now - MonotonicTime.nanosecondsPerSecond)
        connector.process([], now: deadline)
        #expect((connector.deadline ?? 0) > deadline)
        connector.isNeeded = false
        #expect(connector.hasDistributor == nil)
    }

    @Test func theFileForTheBusExistsWhileProgramsAreRegistered() throws {
        connector.isNeeded = true
        try process { connector.canBeStarted }
        let name = "services/\(UnifiedPushConnector.busName).service"
        #expect(try scratch.text(name) == ActivationFile.content(program: "/bin/true"))
        connector.isNeeded = false
        #expect((try? scratch.text(name)) == nil)
    }
}
