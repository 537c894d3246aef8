import TestSupport
import Testing

/// The end of sessions, with the real processes.
@Suite struct BackgroundSessionEndTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    @Test("a session that takes no new transfers is invalidated after the last of them and the end of the events")
    func aFinishedSessionIsInvalidated() throws {
        let server = try ContentServer()
        let addresses = (0..<3).map { server.address("file\($0)") }
        #expect(try fixture.probe(["finish-sessions"] + addresses).waitForExit(within: .seconds(20)).isSuccess)
        let log = fixture.log
        #expect(log.count { $0.hasPrefix("completed ") } == 3, "\(log)")
        #expect(log.suffix(2) == ["finished-events", "invalid"], "\(log)")
    }

    @Test("a session that is invalidated at once cancels the transfers of earlier runs")
    func aCancelledSessionEndsEarlierTransfers() throws {
        let server = try ContentServer()
        let addresses = (0..<3).map { server.address("file\($0)") }
        #expect(try fixture.probe(["store-only"] + addresses).waitForExit(within: .seconds(20)).isSuccess)
        #expect(try fixture.probe(["cancel-sessions"]).waitForExit(within: .seconds(20)).isSuccess)
        let log = fixture.log
        #expect(log.count { $0.hasSuffix(" -999 0") } == 3 && log.last == "invalid", "\(log)")
    }
}
