import Testing

@testable import LedgerStore

@Suite struct LedgerEventsTests {
    private let fixture: LedgerFixture
    private let first: TaskRow, second: TaskRow
    private var ledger: Ledger { fixture.ledger }

    init() throws {
        fixture = try LedgerFixture()
        (first, second) = (try fixture.task(1), try fixture.task(2))
    }

    /// Appends an event and returns its sequence number.
    @discardableResult
    private func append(_ task: TaskRow, kind: Int64 = 1) throws -> Int64 {
        try ledger.appendEvent(session: fixture.session, task: task.id, kind: kind).sequence
    }

    @Test func sequenceNumbersGrowByOne() throws {
        #expect(try [first, second, first].map { try append($0) } == [1, 2, 3])
    }

    @Test func sequenceNumbersAreNotUsedAgainAfterAcknowledgement() throws {
        _ = try ledger.acknowledge(session: fixture.session, through: try append(first))
        #expect(try append(first) == 2)
    }

    @Test func eventsAreReturnedInOrderWithTheirContent() throws {
        try append(first, kind: 1)
        try append(second, kind: 2)
        #expect(
            try ledger.events(ofSession: fixture.session, limit: 10) == [
                EventRow(session: fixture.session, sequence: 1, task: first.id, kind: 1),
                EventRow(session: fixture.session, sequence: 2, task: second.id, kind: 2),
            ])
    }

    @Test func eventsAfterASequenceNumberAreSelected() throws {
        for _ in 0..<5 { try append(first) }
        #expect(try ledger.events(ofSession: fixture.session, after: 2, limit: 2).map(\.sequence) == [3, 4])
    }

    @Test func unacknowledgedEventsSurviveReopening() throws {
        try append(first)
        try fixture.reopen()
        #expect(try ledger.events(ofSession: fixture.session, limit: 10).map(\.sequence) == [1])
    }

    @Test func acknowledgementRemovesEventsUpToItsNumber() throws {
        for _ in 0..<3 { try append(first) }
        _ = try ledger.acknowledge(session: fixture.session, through: 2)
        #expect(try ledger.events(ofSession: fixture.session, limit: 10).map(\.sequence) == [3])
    }

    @Test func acknowledgementNamesTransfersWithoutFurtherEvents() throws {
        try append(first)
        try append(second)
        try append(second)
        #expect(try ledger.acknowledge(session: fixture.session, through: 2) == [first.id])
        #expect(try ledger.acknowledge(session: fixture.session, through: 3) == [second.id])
    }

    @Test func aRepeatedAcknowledgementHasNoEffect() throws {
        try append(first)
        _ = try ledger.acknowledge(session: fixture.session, through: 1)
        #expect(try ledger.acknowledge(session: fixture.session, through: 1) == [])
    }

    @Test func anAcknowledgementBeyondTheLastEventRemovesNoLaterEvent() throws {
        try append(first)
        _ = try ledger.acknowledge(session: fixture.session, through: 1)
        _ = try ledger.acknowledge(session: fixture.session, through: 100)
        try append(first)
        #expect(try ledger.eventCount(ofSession: fixture.session) == 1)
    }

    @Test func eventsAreCounted() throws {
        try append(first)
        #expect(try ledger.eventCount() == 1)
        #expect(try ledger.eventCount(ofSession: fixture.session + 1) == 0)
    }
}
