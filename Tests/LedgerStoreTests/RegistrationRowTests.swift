import Testing

@testable import LedgerStore

@Suite struct RegistrationRowTests {
    private let fixture: LedgerFixture

    init() throws { fixture = try LedgerFixture() }

    @Test func aRegistrationIsStoredReplacedAndRemoved() throws {
        let client = try fixture.ledger.register(LedgerFixture.client()).id
        var row = RegistrationRow(client: client, token: "secret")
        try fixture.ledger.save(row)
        (row.endpoint, row.isEncrypted) = ("https://push.example.org/a", true)
        try fixture.ledger.save(row)
        #expect(try fixture.ledger.registrations() == [row])
        try fixture.ledger.removeRegistration(of: client)
        try fixture.ledger.removeRegistration(of: client)
        #expect(try fixture.ledger.registrations().isEmpty)
    }

    @Test func aRegistrationNeedsAKnownProgram() throws {
        #expect(throws: DatabaseError.self) { try fixture.ledger.save(RegistrationRow(client: 99, token: "secret")) }
    }
}
