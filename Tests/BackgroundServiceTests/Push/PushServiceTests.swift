import BackgroundProtocol
import LedgerStore
import TestSupport
import Testing
import WireFormat

@testable import BackgroundService

@Suite struct PushServiceTests {
    private static let address = "https://push.example.org/a"
    private let fixture: WakeFixture

    init() throws { fixture = try WakeFixture() }

    /// Registers the program, whose distributor accepts it.
    private func register(_ socket: MessageSocket) throws -> String {
        try fixture.send(.registerForNotifications(true), from: socket)
        fixture.connector.setDistributor(true)
        let token = try #require(fixture.connector.registered.last)
        fixture.connector.onEvent(.answer(token: token, reason: nil))
        fixture.connector.onEvent(.endpoint(token: token, Self.address))
        return token
    }

    private func rows() throws -> [RegistrationRow] { try fixture.services.sessions.ledger.registrations() }

    @Test func aRegisteredProgramLearnsItsEndpoint() throws {
        let socket = try fixture.connect()
        #expect(!fixture.connector.isNeeded)
        let token = try register(socket)
        #expect(fixture.connector.isNeeded && token.utf8.count == 40)
        #expect(fixture.received(socket) == [.registration(.endpoint(Self.address))])
        #expect(try rows().map(\.endpoint) == [Self.address])
    }

    @Test func withoutADistributorTheProgramLearnsThat() throws {
        let socket = try fixture.connect()
        try fixture.send(.registerForNotifications(true), from: socket)
        fixture.connector.setDistributor(false)
        #expect(fixture.received(socket) == [.registration(.noDistributor)])
    }

    @Test func aSecondRegistrationReportsTheKnownEndpoint() throws {
        let socket = try fixture.connect(), token = try register(socket)
        _ = fixture.received(socket)
        let events = try fixture.send(.registerForNotifications(true), from: socket)
        #expect(events.first == .registration(.endpoint(Self.address)))
        #expect(fixture.connector.registered == [token])
    }

    @Test("a message that a full disk does not permit is not lost")
    func aMessageThatCannotBeStoredIsRepeated() throws {
        let token = try register(try fixture.connect())
        try Database(path: fixture.services.scratch.path + "/state/ledger.sqlite").execute(
            "CREATE TRIGGER refusal BEFORE INSERT ON notification BEGIN SELECT RAISE(ABORT, 'full'); END")
        fixture.connector.onEvent(.message(token: token, Array("{}".utf8), identifier: "one"))
        #expect(fixture.connector.repetitionCount == 1)
        #expect(try fixture.stored.isEmpty)
    }

    @Test func aProgramWithoutTheModeIsRefused() throws {
        let socket = try fixture.connect(modes: .fetch)
        let events = try fixture.send(.registerForNotifications(true), from: socket)
        guard case .refused(_, let refusal) = events.last else { throw TestFailure("accepted: \(events)") }
        #expect(refusal.code == .invalid && !fixture.connector.isNeeded)
        #expect(try rows().isEmpty)
    }

    @Test func afterARestartTheSameTokenIsRegisteredAgain() throws {
        let token = try register(try fixture.connect())
        try fixture.restart()
        #expect(fixture.connector.isNeeded)
        fixture.connector.setDistributor(true)
        #expect(fixture.connector.registered == [token])
    }

    @Test func aRefusalReachesTheProgram() throws {
        let socket = try fixture.connect()
        try fixture.send(.registerForNotifications(true), from: socket)
        fixture.connector.setDistributor(true)
        let token = try #require(fixture.connector.registered.last)
        fixture.connector.onEvent(.answer(token: token, reason: "ACTION_REQUIRED"))
        guard case .registration(.refused(let text)) = fixture.received(socket).last else {
            throw TestFailure("no refusal arrived")
        }
        #expect(text.contains("action of the user"))
    }

    @Test func theReturnOfTheNetworkRepeatsARefusedRegistration() throws {
        try fixture.send(.registerForNotifications(true), from: try fixture.connect())
        fixture.connector.setDistributor(true)
        let token = try #require(fixture.connector.registered.last)
        fixture.connector.onEvent(.answer(token: token, reason: "NETWORK"))
        fixture.pushes.handleNetworkReturn()
        #expect(fixture.connector.registered == [token, token])
    }

    @Test func aMessageReachesTheProgramWithItsBytes() throws {
        let socket = try fixture.connect(), token = try register(socket)
        _ = fixture.received(socket)
        let bytes: [UInt8] = [0xFF, 0, 0x7B]
        fixture.connector.onEvent(.message(token: token, bytes, identifier: "1"))
        guard case .notification(_, let payload, _) = fixture.received(socket).last else {
            throw TestFailure("no notification arrived")
        }
        #expect(payload == bytes)
    }

    @Test func aMessageStartsAProgramAndSurvivesARestart() throws {
        let socket = try fixture.connect(), token = try register(socket)
        fixture.disconnect(socket)
        fixture.connector.onEvent(.message(token: token, [0xFF], identifier: ""))
        #expect(fixture.starter.processes.count == 1)
        try fixture.restart()
        #expect(try fixture.stored.map(\.payload) == [[0xFF]])
        #expect(fixture.program?.queue.pending.first?.payload.bytes == [0xFF])
    }

    @Test func aRepeatedIdentifierIsDeliveredOnceAndAnEmptyOneIsNew() throws {
        let socket = try fixture.connect(), token = try register(socket)
        _ = fixture.received(socket)
        for identifier in ["1", "1", "", ""] {
            fixture.connector.onEvent(.message(token: token, [1], identifier: identifier))
        }
        #expect(fixture.received(socket).notificationIDs.count == 3)
    }

    @Test func unknownTokensAreIgnored() throws {
        let socket = try fixture.connect()
        _ = try register(socket)
        _ = fixture.received(socket)
        for event in [
            .message(token: "other", [1], identifier: "1"), .endpoint(token: "", "https://evil.example.org"),
            .ended(token: "other"), .answer(token: "other", reason: ""),
        ] as [PushConnectorEvent] { fixture.connector.onEvent(event) }
        #expect(fixture.received(socket).isEmpty)
        #expect(try rows().map(\.endpoint) == [Self.address])
    }

    @Test func anEndedRegistrationHasNoEndpoint() throws {
        let socket = try fixture.connect(), token = try register(socket)
        _ = fixture.received(socket)
        fixture.connector.onEvent(.ended(token: token))
        guard case .registration(.refused) = fixture.received(socket).last else { throw TestFailure("nothing arrived") }
        #expect(try rows().map(\.endpoint) == [""])
    }

    @Test func aProgramThatUnregistersIsForgotten() throws {
        let socket = try fixture.connect(), token = try register(socket)
        try fixture.send(.registerForNotifications(false), from: socket)
        #expect(fixture.connector.unregistered == [token] && !fixture.connector.isNeeded)
        #expect(try rows().isEmpty)
        fixture.connector.onEvent(.message(token: token, [1], identifier: "1"))
        #expect(fixture.received(socket).notificationIDs.isEmpty)
    }

    @Test func withoutActivationTheServiceStays() throws {
        #expect(!fixture.pushes.hasWork)
        _ = try register(try fixture.connect())
        #expect(fixture.pushes.hasWork)
        fixture.connector.canBeStarted = true
        #expect(!fixture.pushes.hasWork)
    }
}
