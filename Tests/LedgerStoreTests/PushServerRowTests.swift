import Testing

@testable import LedgerStore

@Suite struct PushServerRowTests {
    @Test func theServerIsStoredReplacedAndRemoved() throws {
        let fixture = try LedgerFixture()
        #expect(try fixture.ledger.pushServer() == nil)
        for since in ["17", "aB2"] {
            let row = PushServerRow(address: "https://ntfy.sh", since: since)
            try fixture.ledger.save(row)
            try fixture.reopen()
            #expect(try fixture.ledger.pushServer() == row)
        }
        try fixture.ledger.save(nil as PushServerRow?)
        #expect(try fixture.ledger.pushServer() == nil)
    }
}
