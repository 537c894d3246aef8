import BackgroundProtocol
import SystemCalls
import Testing
import WireFormat

@testable import BackgroundService

@Suite struct CommandServiceTests {
    private let fixture: WakeFixture
    /// A program that is attached to the session of the fixture.
    private let socket: MessageSocket

    init() throws {
        fixture = try WakeFixture()
        socket = try fixture.connect("test")
        try fixture.send(.attach(identifier: "session", SessionConfiguration()), from: socket)
    }

    /// The keys of the transfers that the service lists for the session.
    private var listedTransfers: [Int64] {
        get throws {
            let events = try fixture.send(.list(session: fixture.services.session.row.id), from: socket)
            return events.compactMap { event in if case .task(let task) = event { task.id } else { nil } }
        }
    }

    /// Cancels a transfer, and returns the number of its last event.
    private func cancel(_ transfer: Transfer) throws -> Int64 {
        let events = try fixture.send(.cancel(task: transfer.row.id), from: socket)
        let numbers = events.compactMap { event in if case .event(let event) = event { event.sequence } else { nil } }
        return try #require(numbers.last)
    }

    @Test("a session is told of an ended transfer until its events are acknowledged", arguments: [false, true])
    func anEndedTransferIsListedUntilItsEventsAreAcknowledged(isDiskFull: Bool) throws {
        // The engine does not report the end of the run, so that the transfer is kept after the acknowledgement.
        let transfer = try fixture.services.start(), number = try cancel(transfer)
        #expect(try listedTransfers == [transfer.row.id])
        if isDiskFull { try fixture.services.setRefusesStates(true) }
        let session = fixture.services.session.row.id
        let events = try fixture.send(.acknowledge(session: session, sequence: number), from: socket)
        #expect(!events.contains { event in if case .task = event { true } else { false } }, "\(events)")
        #expect(fixture.services.transfers.transfers[transfer.row.id] != nil)
        #expect(try listedTransfers.isEmpty)
    }
}
