import Testing

@testable import LedgerStore

@Suite struct LedgerClientsTests {
    private let fixture: LedgerFixture
    private var ledger: Ledger { fixture.ledger }

    init() throws { fixture = try LedgerFixture() }

    @Test func argumentsRoundTrip() throws {
        let stored = try ledger.register(LedgerFixture.client("other", arguments: ["", "a b", "ü", ""]))
        #expect(try ledger.client(stored.id)?.arguments == ["", "a b", "ü", ""])
    }

    @Test func aProgramWithoutArgumentsHasNone() throws {
        #expect(try ledger.register(LedgerFixture.client("other", arguments: [])).arguments == [])
    }

    @Test func registeringAgainUpdatesTheProgramAndKeepsItsKey() throws {
        let first = try ledger.register(LedgerFixture.client())
        let second = try ledger.register(LedgerFixture.client(arguments: ["--new"]))
        #expect(second.id == first.id)
        #expect(second.arguments == ["--new"])
    }

    @Test func aRegistrationMayKeepTheExecutableFile() throws {
        let first = try ledger.register(LedgerFixture.client())
        var ended = LedgerFixture.client(arguments: [])
        ended.executable = ""
        #expect(try ledger.register(ended, keepsExecutable: true) == first)
        #expect(try ledger.register(ended).executable.isEmpty)
    }

    @Test func registeringAgainKeepsTheRelaunchState() throws {
        let client = try ledger.register(LedgerFixture.client())
        try ledger.save([1, 2], isForceQuit: true, ofClient: client.id)
        let again = try ledger.register(LedgerFixture.client())
        #expect(again.relaunch == [1, 2])
        #expect(again.isForceQuit)
    }

    @Test func anUnknownProgramIsNil() throws { #expect(try ledger.client(99) == nil) }

    @Test func attachingAgainFindsTheSessionAndReplacesItsConfiguration() throws {
        let client = try ledger.register(LedgerFixture.client())
        let session = try ledger.session("downloads", of: client.id, configuration: [2])
        #expect(session.id == fixture.session)
        #expect(try ledger.session(session.id)?.configuration == [2])
    }

    @Test func identifiersBelongToTheirProgram() throws {
        let other = try ledger.register(LedgerFixture.client("other"))
        #expect(try ledger.session("downloads", of: other.id, configuration: []).id != fixture.session)
    }

    @Test func allSessionsAreListedInTheOrderOfTheirCreation() throws {
        let client = try ledger.register(LedgerFixture.client())
        _ = try ledger.session("a", of: client.id, configuration: [])
        #expect(try ledger.sessions().map(\.identifier) == ["downloads", "a"])
    }

    @Test func aSessionOfAnUnknownProgramIsRefused() {
        #expect(throws: DatabaseError.self) { try ledger.session("x", of: 99, configuration: []) }
    }
}
