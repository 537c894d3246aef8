import BackgroundProtocol
import SystemCalls
import Testing
import TransferPolicy
import WireFormat

@testable import BackgroundService

@Suite struct CommandServiceTests {
    private let fixture: WakeFixture
    /// A program that is attached to the session of the fixture.
    private let socket: MessageSocket
    private let directory: DirectoryDescriptor
    /// The key of the session.
    private var session: Int64 { fixture.services.session.row.id }

    init() throws {
        fixture = try WakeFixture()
        directory = try DirectoryDescriptor(opening: fixture.services.scratch.path)
        socket = try fixture.connect("test")
        try fixture.send(.attach(identifier: "session", SessionConfiguration()), from: socket)
    }

    /// The keys of the transfers that the service lists for the session.
    private var listedTransfers: [Int64] {
        get throws {
            let events = try fixture.send(.list(session: session), from: socket)
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
        let events = try fixture.send(.acknowledge(session: session, sequence: number), from: socket)
        #expect(!events.contains { event in if case .task = event { true } else { false } }, "\(events)")
        #expect(fixture.services.transfers.transfers[transfer.row.id] != nil)
        #expect(try listedTransfers.isEmpty)
    }

    /// Sends the command that creates a transfer, and returns the key of the transfer; nil if the command is refused.
    private func create(uuid: UInt8) throws -> Int64? {
        var request = TaskRequest(
            uuid: [UInt8](repeating: uuid, count: 16),
            request: TransferRequest(address: "https://example.org/film.mkv"))
        request.hasDirectory = true
        let answers = try fixture.send(
            .create(session: session, request), from: socket, descriptors: [directory.raw])
        for case .created(_, let task) in answers { return task.id }
        return nil
    }

    @Test("a command that was carried out before its answer was lost is answered, also at a limit of the program")
    func aRepeatedCreationIsNotLimited() throws {
        let task = try #require(try create(uuid: 1))
        let client = try #require(fixture.services.sessions.sessions[session]).client
        let now = fixture.services.sessions.clock.time
        for _ in 1..<ProgramLimits().creationsPerMinute { client.creations.handleCreation(now: now) }
        #expect(try create(uuid: 1) == task)
        #expect(try create(uuid: 2) == nil)
        #expect(fixture.services.transfers.transfers.count == 1)
    }
}
