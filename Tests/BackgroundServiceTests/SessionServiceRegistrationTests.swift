import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import Testing
import WireFormat

@testable import BackgroundService

@Suite struct SessionServiceRegistrationTests {
    private let fixture: ServiceFixture
    private let connection: ClientConnection
    private var sessions: SessionService { fixture.sessions }
    private var client: Client { fixture.session.client }

    init() throws {
        fixture = try ServiceFixture()
        connection = ClientConnection(socket: try MessageSocket.pair().1, processID: getpid())
    }

    /// Attaches the program to sessions until it has as many as permitted, and returns their keys.
    private func fillSessions() throws -> [Int64] {
        try (1..<SessionService.sessionLimit).map { number in
            try sessions.attach("\(number)", SessionConfiguration(), connection, client).row.id
        }
    }

    /// Registers programs until as many as permitted are stored.
    private func fillPrograms() throws {
        try sessions.ledger.transaction { () throws(DatabaseError) in
            for number in 1..<SessionService.programLimit {
                _ = try sessions.ledger.register(
                    ClientRow(
                        name: "\(number)", executable: "", identity: FileIdentity(device: 0, inode: 0), arguments: []))
            }
        }
    }

    @Test func aSessionThatIsNotUsedGivesWay() throws {
        let keys = try fillSessions()
        connection.sessions.removeAll()
        let transfer = try fixture.start()
        let new = try sessions.attach("new", SessionConfiguration(), connection, client)
        #expect(sessions.sessions[keys[0]] == nil && sessions.sessions[keys[1]] != nil)
        #expect(sessions.sessions[transfer.session.row.id] != nil)
        try fixture.restart()
        #expect(sessions.sessions.count == SessionService.sessionLimit)
        #expect(sessions.sessions[new.row.id]?.row.identifier == "new" && sessions.sessions[keys[0]] == nil)
    }

    @Test func sessionsOfOpenConnectionsStay() throws {
        let keys = try fillSessions()
        sessions.connections = { [connection] in [connection] }
        _ = try fixture.start()
        let refusal = #expect(throws: ClientEvent.Refusal.self) {
            try sessions.attach("new", SessionConfiguration(), connection, client)
        }
        #expect(refusal?.code == .limit)
        #expect(keys.allSatisfy { sessions.sessions[$0] != nil })
        #expect(try sessions.attach("1", SessionConfiguration(), connection, client).row.id == keys[0])
    }

    @Test func aProgramThatIsNotUsedGivesWay() throws {
        try fillPrograms()
        _ = try fixture.start()
        let new = try sessions.register(ProgramDescription(name: "new"), processID: getpid())
        #expect(try sessions.ledger.clientCount() == SessionService.programLimit)
        #expect(try !sessions.ledger.hasClient(named: "1"))
        #expect(try sessions.client(new.row.id) === new)
        #expect(try sessions.ledger.hasClient(named: "test"))
    }

    @Test func connectedProgramsStay() throws {
        try fillPrograms()
        _ = try fixture.start()
        let first = try sessions.register(ProgramDescription(name: "1"), processID: getpid())
        connection.client = first
        sessions.connections = { [connection] in [connection] }
        _ = try sessions.register(ProgramDescription(name: "new"), processID: getpid())
        #expect(try sessions.ledger.hasClient(named: "1"))
        #expect(try !sessions.ledger.hasClient(named: "2"))
    }

    @Test func programsInUseLeaveNoRoom() throws {
        try fillPrograms()
        _ = try fixture.start()
        let mark = sessions.clock.mark
        try sessions.ledger.transaction { () throws(DatabaseError) in
            for id in try sessions.ledger.idleClients(historyState: TransferService.deliveredState) {
                try sessions.ledger.save(ProgramRow(client: id, modes: 1, mark: mark))
            }
        }
        let refusal = #expect(throws: ClientEvent.Refusal.self) {
            try sessions.register(ProgramDescription(name: "new"), processID: getpid())
        }
        #expect(refusal?.code == .limit)
        _ = try sessions.register(ProgramDescription(name: "test"), processID: getpid())
    }

    @Test func theEventsOfAllSessionsCount() throws {
        let task = try fixture.start().row.id
        let other = try sessions.attach("other", SessionConfiguration(), connection, client)
        for session in [fixture.session, other] {
            _ = try sessions.ledger.appendEvent(session: session.row.id, task: task, kind: 1)
        }
        #expect(sessions.eventCount(of: client) == 2 && sessions.eventCount(of: other) == 1)
    }
}
