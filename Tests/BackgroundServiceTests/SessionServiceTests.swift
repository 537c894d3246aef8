import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import BackgroundService

@Suite struct SessionServiceTests {
    private let fixture: ServiceFixture
    private let socket: MessageSocket
    private let connection: ClientConnection

    init() throws {
        fixture = try ServiceFixture(deliversEvents: true)
        let (first, second) = try MessageSocket.pair(messageLimit: ClientLimits.messageBytes)
        socket = first
        connection = ClientConnection(socket: second, processID: getpid())
        // A connection without a program ends after some seconds.
        connection.client = fixture.session.client
    }

    /// Attaches the connection to the session.
    private func attach() throws {
        _ = try fixture.sessions.attach("session", SessionConfiguration(), connection, fixture.session.client)
        fixture.sessions.sendEvents(of: fixture.session)
    }

    /// The messages that have arrived, without reports of transfers.
    private func received() throws -> [ClientEvent] {
        var events: [ClientEvent] = []
        while true {
            while case .message(let message) = socket.receive() {
                let event = try ClientEvent(decoding: message.bytes)
                if case .task = event { continue }
                events.append(event)
            }
            if connection.isQueueEmpty { return events }
            // The event loop would send the waiting messages now.
            var entry = Poll.Entry(connection.raw, .writable)
            entry.ready = .writable
            connection.process([entry], now: MonotonicTime.now)
        }
    }

    /// The sequence numbers of the events that have arrived.
    private func receivedSequences() throws -> [Int64] {
        try received().compactMap { event in if case .event(let event) = event { event.sequence } else { nil } }
    }

    /// Finishes a number of transfers.
    private func finishTransfers(_ count: Int) throws {
        for number in 0..<count {
            _ = try fixture.start("file\(number)")
            fixture.finish()
        }
    }

    @Test func eventsWaitForTheProgram() throws {
        try finishTransfers(1)
        #expect(try received() == [])
        try attach()
        #expect(try receivedSequences() == [1, 2])
    }

    @Test func aFinishedFileComesWithADescriptor() throws {
        try finishTransfers(1)
        try attach()
        guard case .message(let message) = socket.receive(),
            case .event(let event) = try ClientEvent(
                decoding: message.bytes)
        else { throw TestFailure("no event") }
        #expect(event.kind == .finished && event.hasFile && message.descriptors.count == 1)
    }

    @Test func aFileThatTheProgramHasMovedComesWithoutADescriptor() throws {
        try finishTransfers(1)
        #expect(rename(fixture.scratch.file("file0"), fixture.scratch.file("moved")) == 0)
        try attach()
        guard case .event(let event) = try received().first else { throw TestFailure("no event") }
        #expect(event.kind == .finished && !event.hasFile)
    }

    @Test("an event whose file cannot be opened now waits, with all later events, until the file can be opened")
    func aFileThatCannotBeOpenedNowIsSentLater() throws {
        try finishTransfers(2)
        let transfer = try #require(fixture.transfers.sortedTransfers.first)
        let directory = transfer.row.destination.directory
        transfer.row.destination.directory = ServiceFixture.unusableDirectory
        try attach()
        #expect(try received() == [] && fixture.session.sentSequence == 0)
        transfer.row.destination.directory = directory
        fixture.time.now = try #require(fixture.sessions.schedule())
        #expect(fixture.sessions.schedule() == nil)
        let files = try received().map { event in if case .event(let event) = event { event.hasFile } else { false } }
        #expect(files == [true, false, true, false])
    }

    @Test func aProgramThatHasGoneNeedsNoFurtherAttempt() throws {
        try finishTransfers(1)
        fixture.transfers.sortedTransfers.first?.row.destination.directory = ServiceFixture.unusableDirectory
        try attach()
        connection.close()
        fixture.time.now = try #require(fixture.sessions.schedule())
        #expect(fixture.sessions.schedule() == nil)
    }

    @Test func aFinishedFileComesWithADescriptorAlsoAfterAStartOfTheMachine() throws {
        try finishTransfers(1)
        try fixture.changeDevices()
        try fixture.restart(boot: "next boot")
        try attach()
        guard case .event(let event) = try received().first else { throw TestFailure("no event") }
        #expect(event.kind == .finished && event.hasFile)
    }

    @Test func eventsAreRepeatedFromTheFirstUnacknowledged() throws {
        try finishTransfers(2)
        try attach()
        _ = try received()
        try fixture.sessions.acknowledge(fixture.session, through: 1)
        try attach()
        #expect(try receivedSequences() == [2, 3, 4])
    }

    @Test func aFileThatTheProgramHasLeftIsRemovedAfterTheLastAcknowledgement() throws {
        _ = try fixture.start { $0.hasDirectory = false }
        fixture.finish()
        #expect(fixture.files.count == 1)
        try attach()
        try fixture.sessions.acknowledge(fixture.session, through: 1)
        #expect(fixture.files.count == 1)
        try fixture.sessions.acknowledge(fixture.session, through: 2)
        #expect(fixture.files == [])
    }

    @Test func anEventThatWasNotSentCannotBeAcknowledged() throws {
        try finishTransfers(1)
        try fixture.sessions.acknowledge(fixture.session, through: 100)
        #expect(fixture.sessions.eventCount(of: fixture.session) == 2)
    }

    @Test func theLastAcknowledgementEndsTheEvents() throws {
        try finishTransfers(1)
        try attach()
        _ = try received()
        try fixture.sessions.acknowledge(fixture.session, through: 2)
        #expect(try received() == [.finishedEvents(session: fixture.session.row.id)])
    }

    @Test("a program whose last acknowledgement the service did not answer learns that the events have ended")
    func theEndOfTheEventsCanBeRequested() throws {
        try attach()
        #expect(try received() == [])
        fixture.sessions.requestFinishedEvents(of: fixture.session)
        #expect(try received() == [.finishedEvents(session: fixture.session.row.id)])
    }

    @Test func aRequestedEndWaitsForTheRunningTransfer() throws {
        try attach()
        let transfer = try fixture.start("running")
        fixture.sessions.requestFinishedEvents(of: fixture.session)
        #expect(try received() == [])
        fixture.transfers.handle(.suspend, of: transfer)
        #expect(try received() == [.finishedEvents(session: fixture.session.row.id)])
    }

    @Test func theEventsDoNotEndWhileATransferRuns() throws {
        try finishTransfers(1)
        try attach()
        _ = try received()
        _ = try fixture.start("running")
        try fixture.sessions.acknowledge(fixture.session, through: 2)
        #expect(try received() == [])
    }

    @Test func aProgramThatDoesNotAcknowledgeReceivesAWindowOfEvents() throws {
        try attach()
        try finishTransfers(40)
        #expect(try receivedSequences().count == Int(SessionService.windowSize))
        try fixture.sessions.acknowledge(fixture.session, through: 64)
        #expect(try receivedSequences() == Array(65...80))
    }

    @Test func aDetachedProgramReceivesNothing() throws {
        try attach()
        fixture.sessions.detach(fixture.session, connection)
        try finishTransfers(1)
        #expect(try receivedSequences() == [])
    }

    @Test func aSecondProgramIsRefused() throws {
        try attach()
        let (_, other) = try MessageSocket.pair()
        let second = ClientConnection(socket: other, processID: 1)
        #expect(throws: ClientEvent.Refusal.self) {
            try fixture.sessions.attach("session", SessionConfiguration(), second, fixture.session.client)
        }
    }

    @Test func aClosedConnectionMakesRoom() throws {
        try attach()
        connection.close()
        let (_, other) = try MessageSocket.pair()
        let second = ClientConnection(socket: other, processID: 1)
        _ = try fixture.sessions.attach("session", SessionConfiguration(), second, fixture.session.client)
        #expect(fixture.session.connection === second)
    }

    @Test func aProgramThatDoesNotReadIsDisconnected() throws {
        for _ in 0...ClientConnection.queueLimit.messages + 2000 { connection.send(.done(command: 1)) }
        #expect(connection.isClosed)
    }
}
