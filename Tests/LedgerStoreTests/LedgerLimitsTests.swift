import Testing

@testable import LedgerStore

@Suite struct LedgerLimitsTests {
    private let fixture: LedgerFixture
    private var client: Int64 { fixture.client }
    private var ledger: Ledger { fixture.ledger }

    init() throws { fixture = try LedgerFixture() }

    /// The sessions of the program that can be removed.
    private func idleSessions() throws -> [Int64] {
        try ledger.idleSessions(ofClient: client, historyState: "delivered")
    }

    /// The programs that can be removed.
    private func idleClients() throws -> [Int64] { try ledger.idleClients(historyState: "delivered") }

    /// Creates a session with a transfer in the history.
    private func addSession(_ identifier: String, byte: UInt8) throws -> Int64 {
        let session = try ledger.session(identifier, of: client, configuration: []).id
        var row = fixture.row(byte, state: "delivered")
        row.session = session
        _ = try ledger.create(row)
        return session
    }

    @Test func theSessionWithTheOldestTransferComesFirst() throws {
        let second = try addSession("b", byte: 2), first = try addSession("a", byte: 3)
        _ = try fixture.task(4, state: "delivered")
        let empty = try ledger.session("empty", of: client, configuration: []).id
        #expect(try idleSessions() == [empty, second, first, fixture.session])
    }

    @Test func aTransferOutsideTheHistoryKeepsItsSession() throws {
        _ = try fixture.task(state: "running")
        #expect(try idleSessions().isEmpty)
        #expect(try idleClients().isEmpty)
    }

    @Test func filesThatWereNotRemovedKeepTheirSession() throws {
        let task = try fixture.task(state: "delivered")
        #expect(try idleSessions() == [fixture.session])
        try ledger.saveHasSecret(of: task.id)
        #expect(try idleSessions().isEmpty)
    }

    @Test func anEventKeepsItsSession() throws {
        let task = try fixture.task(state: "delivered")
        _ = try ledger.appendEvent(session: fixture.session, task: task.id, kind: 1)
        #expect(try idleSessions().isEmpty)
        #expect(try idleClients().isEmpty)
    }

    @Test func aRemovedSessionHasNoHistory() throws {
        let task = try fixture.task(state: "delivered"), other = try addSession("other", byte: 2)
        try ledger.removeSession(fixture.session)
        #expect(try ledger.task(task.id) == nil)
        #expect(try ledger.sessions().map(\.id) == [other])
        #expect(try ledger.sessionCount(ofClient: client) == 1)
        #expect(try ledger.hasSession("other", ofClient: client))
        #expect(try !ledger.hasSession("downloads", ofClient: client))
    }

    @Test func theProgramWithTheOldestTransferComesFirst() throws {
        _ = try fixture.task(state: "delivered")
        let other = try ledger.register(LedgerFixture.client("other")).id
        #expect(try idleClients() == [other, client])
    }

    @Test func aProgramThatFetchesOrReceivesNotificationsStays() throws {
        let mark = ClockMark(boot: "boot", wall: 1, uptime: 1)
        try ledger.save(ProgramRow(client: client, modes: 1, mark: mark))
        let other = try ledger.register(LedgerFixture.client("other")).id
        #expect(try idleClients() == [other])
        try ledger.save(RegistrationRow(client: other, token: "token"))
        #expect(try idleClients().isEmpty)
    }

    @Test func aRemovedProgramHasNoSessions() throws {
        let task = try fixture.task(state: "delivered")
        try ledger.removeClient(client)
        #expect(try ledger.clientCount() == 0)
        #expect(try !ledger.hasClient(named: "player"))
        #expect(try ledger.sessions().isEmpty)
        #expect(try ledger.task(task.id) == nil)
    }
}
