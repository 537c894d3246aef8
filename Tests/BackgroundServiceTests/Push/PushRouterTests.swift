import Testing

@testable import BackgroundService

@Suite struct PushRouterTests {
    private final class Events {
        var all: [PushConnectorEvent] = []
    }

    private let distributor = FakeConnector(), server = FakeConnector()
    private let router: PushRouter
    private let events = Events()

    init() {
        router = PushRouter(distributor: distributor, server: server)
        router.onEvent = { [events] in events.all.append($0) }
        server.hasDistributor = true
    }

    private func start(hasDistributor: Bool) {
        router.isNeeded = true
        distributor.setDistributor(hasDistributor)
    }

    @Test func theDistributorIsPreferred() {
        start(hasDistributor: true)
        router.register(token: "one", description: "")
        #expect(distributor.registered == ["one"] && server.registered.isEmpty && !server.isNeeded)
        distributor.canBeStarted = true
        #expect(router.canBeStarted && router.hasDistributor == true)
    }

    @Test func withoutADistributorTheServerIsUsed() {
        start(hasDistributor: false)
        #expect(events.all == [.distributor(isThere: true)] && server.isNeeded)
        router.register(token: "one", description: "")
        distributor.canBeStarted = true
        #expect(server.registered == ["one"] && !router.canBeStarted)
    }

    @Test func aDistributorThatAppearsTakesOver() {
        start(hasDistributor: false)
        distributor.setDistributor(true)
        router.register(token: "one", description: "")
        #expect(!server.isNeeded && distributor.registered == ["one"])
        #expect(events.all == [.distributor(isThere: true), .distributor(isThere: true)])
    }

    @Test func withoutBothThereIsNone() {
        server.hasDistributor = false
        start(hasDistributor: false)
        #expect(events.all == [.distributor(isThere: false)] && router.hasDistributor == false && !server.isNeeded)
    }

    @Test func aServerThatIsSetLaterIsUsed() {
        server.hasDistributor = false
        start(hasDistributor: false)
        server.setDistributor(true)
        #expect(server.isNeeded && events.all.last == .distributor(isThere: true))
        server.setDistributor(false)
        #expect(!server.isNeeded && events.all.last == .distributor(isThere: false))
    }

    @Test func aServerIsOfNoInterestBesideADistributor() {
        start(hasDistributor: true)
        server.setDistributor(true)
        #expect(events.all == [.distributor(isThere: true)] && !server.isNeeded)
    }

    @Test func answersOfTheOtherConnectorAreIgnoredAndItsMessagesAreNot() {
        start(hasDistributor: true)
        events.all = []
        server.onEvent(.endpoint(token: "one", "https://old"))
        server.onEvent(.ended(token: "one"))
        server.onEvent(.message(token: "one", [1], identifier: "1"))
        #expect(events.all == [.message(token: "one", [1], identifier: "1")])
    }

    @Test func withoutProgramsBothConnectorsRest() {
        start(hasDistributor: false)
        router.isNeeded = false
        #expect(!distributor.isNeeded && !server.isNeeded)
    }

    @Test func whatIsNotKnownYetIsNotReported() {
        router.isNeeded = true
        #expect(router.hasDistributor == nil && events.all.isEmpty)
    }
}
