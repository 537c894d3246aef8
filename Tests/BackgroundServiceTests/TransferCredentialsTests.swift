import BackgroundProtocol
import LedgerStore
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Transfers whose servers request a user name and a password.
@Suite struct TransferCredentialsTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture(deliversEvents: true) }

    /// Starts a transfer whose server requests credentials.
    private func startAndChallenge(status: Int32 = 401, fields: [HeaderField] = []) throws -> Transfer {
        let transfer = try fixture.start { $0.request.fields = fields }
        challenge(status: status)
        return transfer
    }

    /// Reports that the server of the last order requests credentials.
    private func challenge(status: Int32 = 401) {
        fixture.engine.onEvent(
            .failed(transfer: fixture.run, EngineFailure(.credentials, "credentials are missing", code: status)))
    }

    /// Supplies credentials, and returns the header fields of the next order.
    private func authenticate(_ transfer: Transfer) throws -> [HeaderField]? {
        try fixture.transfers.authenticate(transfer, user: "user", password: "password")
        _ = fixture.transfers.schedule()
        return fixture.engine.orders.last?.request.fields
    }

    /// The events that the program has not acknowledged.
    private var events: [ClientEvent.Kind] {
        get throws {
            try fixture.sessions.ledger.events(ofSession: fixture.session.row.id, limit: 10).map { event in
                try #require(ClientEvent.Kind(rawValue: UInt8(event.kind)))
            }
        }
    }

    private static let field = HeaderField("Authorization", "Basic dXNlcjpwYXNzd29yZA==", isSecret: true)

    @Test func theProgramIsAskedOnceAndTheTransferWaits() throws {
        let transfer = try startAndChallenge()
        fixture.time.now += 3600 * 1_000_000_000
        _ = fixture.transfers.schedule()
        #expect(transfer.machine.state == .waiting(.credentials) && fixture.engine.orders.count == 1)
        #expect(try events == [.challenge])
        #expect(transfer.snapshot(now: .zero).activity.phase == .waiting)
    }

    @Test func theAnswerIsSentWithTheNextOrder() throws {
        let transfer = try startAndChallenge()
        #expect(try authenticate(transfer) == [Self.field])
        #expect(fixture.engine.orders.count == 2)
    }

    @Test func theAnswerToAProxyHasItsOwnField() throws {
        let transfer = try startAndChallenge(status: 407)
        #expect(try authenticate(transfer)?.map(\.name) == ["Proxy-Authorization"])
    }

    @Test func theAnswerReplacesAnOlderOneAndKeepsOtherFields() throws {
        let fields = [HeaderField("Cookie", "a"), HeaderField("authorization", "Basic old", isSecret: true)]
        let transfer = try startAndChallenge(fields: fields)
        #expect(try authenticate(transfer) == [fields[0], Self.field])
    }

    @Test func aWrongAnswerIsAChallengeAgain() throws {
        let transfer = try startAndChallenge()
        _ = try authenticate(transfer)
        challenge()
        #expect(transfer.machine.state == .waiting(.credentials))
        #expect(try events == [.challenge, .challenge])
    }

    @Test("after a crash of the service, the program is asked again, and its answer starts the transfer")
    func anUnansweredChallengeOutlivesTheService() throws {
        _ = try startAndChallenge()
        _ = try fixture.sessions.ledger.acknowledge(session: fixture.session.row.id, through: .max)
        try fixture.restart()
        #expect(try events == [.challenge])
        let transfer = try #require(fixture.transfers.sortedTransfers.first)
        #expect(transfer.machine.state == .waiting(.credentials))
        #expect(try authenticate(transfer) == [Self.field])
    }

    @Test func theStoredAnswerOutlivesTheService() throws {
        let transfer = try startAndChallenge()
        _ = try authenticate(transfer)
        try fixture.restart()
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.request.fields == [Self.field])
    }

    @Test func anUnansweredChallengeFailsAtTheTimeLimit() throws {
        let transfer = try startAndChallenge()
        fixture.time.now += 7 * 86_400 * 1_000_000_000
        _ = fixture.transfers.schedule()
        #expect(transfer.machine.state == .failed(.resourceTimeout))
        let text = transfer.snapshot(now: .zero).activity.text
        #expect(text == "failed: the time limit of the transfer has passed (credentials are missing)")
        #expect(try events == [.challenge, .completed])
    }
}
