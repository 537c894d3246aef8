import BackgroundProtocol
import LedgerStore
import SystemCalls
import TestSupport
import Testing

@testable import BackgroundService

@Suite struct NtfyConnectorTests {
    private final class Events {
        var all: [PushConnectorEvent] = []
    }

    private let services: ServiceFixture
    private let connector: NtfyConnector
    private let events = Events()
    private var engine: FakeEngine { services.engine }
    private var ledger: Ledger { services.sessions.ledger }

    init() throws {
        services = try ServiceFixture()
        connector = try NtfyConnector(
            engine: services.engine, ledger: services.sessions.ledger, logger: services.sessions.logger)
        connector.onEvent = { [events] in events.all.append($0) }
        try connector.setServer("https://ntfy.example.org/")
        connector.isNeeded = true
        events.all = []
    }

    /// The streams that the engine was asked to read.
    private var orders: [ListenOrder] {
        engine.commands.compactMap { command in if case .listen(let order) = command { order } else { nil } }
    }
    private var run: UInt64 { orders.last?.transfer ?? 0 }

    private func process(after seconds: Int64 = 0) {
        connector.process([], now: MonotonicTime.now + seconds * MonotonicTime.nanosecondsPerSecond)
    }

    private func start(_ tokens: String...) {
        for token in tokens { connector.register(token: token, description: "") }
        process()
    }

    private func receive(_ line: String) { engine.onEvent(.line(transfer: run, Array(line.utf8))) }

    @Test("a message that could not be stored is requested again")
    func anUnstoredMessageIsRepeated() throws {
        connector.onEvent = { [unowned connector] event in if case .message = event { connector.repeatMessage() } }
        start("one")
        receive(#"{"id":"aB1","event":"open","topic":"upone"}"#)
        let since = connector.server?.since
        receive(#"{"id":"aB2","event":"message","topic":"upone","message":"a"}"#)
        #expect(engine.commands.last == .stop(transfer: run) && connector.server?.since == since)
        process(after: 10)
        #expect(orders.count == 1)
        process(after: 60)
        #expect(orders.count == 2 && orders.last?.request.address.hasSuffix("?since=\(since ?? "")") == true)
    }

    @Test func aProgramGetsAnEndpointOfItsOwnTopic() {
        start("one")
        #expect(
            events.all == [
                .answer(token: "one", reason: nil), .endpoint(token: "one", "https://ntfy.example.org/upone?up=1"),
            ])
    }

    @Test func oneStreamServesAllPrograms() throws {
        start("two", "one")
        #expect(orders.count == 1 && engine.isListening)
        let address = try #require(orders.first).request.address
        #expect(address.hasPrefix("https://ntfy.example.org/upone,uptwo/json?since="))
        #expect(Int(address.split(separator: "=").last ?? "") != nil)
    }

    @Test func anotherProgramNeedsAnotherStream() {
        start("one")
        let first = run
        start("two")
        #expect(orders.count == 2 && engine.commands.contains(.stop(transfer: first)))
        connector.unregister(token: "two")
        process()
        #expect(orders.last?.request.address.contains("/upone/json") == true)
    }

    @Test func withoutProgramsThereIsNoStream() {
        start("one")
        connector.unregister(token: "one")
        process()
        #expect(engine.commands.last == .stop(transfer: run) && !engine.isListening)
    }

    @Test func aMessageHasTheTokenOfItsTopic() {
        start("one")
        events.all = []
        receive(#"{"id":"aB1","event":"open","topic":"upone"}"#)
        receive(#"{"id":"aB2","event":"message","topic":"upone","message":"/w==","encoding":"base64"}"#)
        receive(#"{"id":"aB3","event":"message","topic":"upother","message":"a"}"#)
        #expect(events.all == [.message(token: "one", [0xFF], identifier: "aB2")])
    }

    @Test func theNextStreamContinuesAfterTheLastMessage() throws {
        start("one")
        receive(#"{"id":"aB2","event":"message","topic":"upone","message":"a"}"#)
        engine.onEvent(.failed(transfer: run, EngineFailure(.network, "ended")))
        process(after: 1)
        #expect(orders.count == 1)
        process(after: 3)
        #expect(orders.count == 2 && orders.last?.request.address.hasSuffix("?since=aB2") == true)
        #expect(try ledger.pushServer()?.since == "aB2")
    }

    @Test func thePlaceInTheStreamSurvivesARestart() throws {
        start("one")
        receive(#"{"id":"aB2","event":"message","topic":"upone","message":"a"}"#)
        connector.save()
        try services.restart()
        let next = try NtfyConnector(
            engine: services.engine, ledger: services.sessions.ledger, logger: services.sessions.logger)
        #expect(next.server == PushServerRow(address: "https://ntfy.example.org", since: "aB2"))
    }

    @Test(arguments: ["a&x=1", "", "a b", "ä", String(repeating: "a", count: 65)])
    func anIdentifierThatIsNoneIsNotRequested(id: String) {
        start("one")
        let since = connector.server?.since
        receive("{\"id\":\"\(id)\",\"event\":\"message\",\"topic\":\"upone\",\"message\":\"a\"}")
        #expect(connector.server?.since == since)
    }

    @Test func aNewNetworkOpensTheStreamAtOnce() {
        start("one")
        let first = run
        connector.handleNetworkChange()
        process()
        #expect(orders.count == 2 && engine.commands.contains(.stop(transfer: first)))
        // A late message of the old stream does not end the new one.
        engine.onEvent(.failed(transfer: first, EngineFailure(.network, "ended")))
        #expect(engine.isListening && connector.deadline == nil)
    }

    @Test func theExitOfTheEngineEndsTheStream() {
        start("one")
        engine.onExit()
        process(after: 3)
        #expect(orders.count == 2)
    }

    @Test func anEngineThatDoesNotRunIsAwaited() {
        engine.isRunning = false
        start("one")
        #expect(orders.isEmpty && connector.deadline == engine.nextStart)
        engine.isRunning = true
        process()
        #expect(orders.count == 1)
    }

    @Test func messagesOfTransfersArePassedOn() throws {
        let transfer = try services.start()
        engine.onEvent(.failed(transfer: services.run, EngineFailure(.network, "ended")))
        #expect(transfer.run == nil)
    }

    @Test(arguments: [
        "ntfy.sh", "ftp://ntfy.sh", "https://user@ntfy.sh", "https://ntfy.sh?a=b", "https://ntfy.sh#a", "https://a b",
        "https://" + String(repeating: "a", count: 200),
    ])
    func otherAddressesAreRefused(text: String) {
        #expect(throws: ClientEvent.Refusal.self) { try connector.setServer(text) }
        #expect(connector.server?.address == "https://ntfy.example.org")
    }

    @Test func anotherServerEndsTheStreamAndIsReported() throws {
        start("one")
        events.all = []
        try connector.setServer("http://localhost:8080/ntfy")
        #expect(engine.commands.last == .stop(transfer: run) && events.all == [.distributor(isThere: true)])
        start("one")
        #expect(orders.last?.request.address.hasPrefix("http://localhost:8080/ntfy/upone/json?since=") == true)
        try connector.setServer("")
        #expect(events.all.last == .distributor(isThere: false) && connector.hasDistributor == false)
        #expect(try ledger.pushServer() == nil)
    }

    @Test func programsBeyondTheLimitAreRefused() {
        for number in 0...NtfyConnector.topicLimit { connector.register(token: "\(number)", description: "") }
        #expect(events.all.last == .answer(token: "\(NtfyConnector.topicLimit)", reason: ""))
    }
}
