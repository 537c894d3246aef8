import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import BackgroundService

/// The time limit of a program that was started for the events of its session.
@Suite struct SessionWakesTests {
    private let fixture: WakeFixture
    private let process = FakeProcess()
    private let socket: MessageSocket

    init() throws {
        fixture = try WakeFixture()
        fixture.services.session.configuration.deliversEvents = true
        _ = try fixture.services.start()
        fixture.services.finish()
        fixture.starter.running = process
        socket = try fixture.connect("test", isBackgroundStart: true, presence: nil, modes: [])
    }

    /// Attaches the program to its session.
    private func attach() throws -> [ClientEvent] {
        var configuration = SessionConfiguration()
        configuration.deliversEvents = true
        return try fixture.send(.attach(identifier: "session", configuration), from: socket)
    }

    private var session: Int64 { fixture.services.session.row.id }

    @Test func theProgramLearnsWhichSessionHasEvents() {
        #expect(fixture.helloEvents.contains(.eventsWaiting(identifier: "session")))
    }

    @Test func aProgramThatDoesNotFinishIsAskedAndThenStopped() throws {
        fixture.advance(by: 24)
        #expect(fixture.received(socket) == [])
        fixture.advance(by: 1)
        #expect(fixture.received(socket) == [.wakeExpires] && process.signals == [])
        fixture.advance(by: 5)
        #expect(process.signals == [SIGTERM] && process.killsGroupAtExit)
        fixture.advance(by: 2)
        #expect(process.signals == [SIGTERM, SIGKILL])
        fixture.starter.exit()
        #expect(fixture.wakes.schedule() == nil)
    }

    @Test func theServiceWakesAtTheLimit() throws {
        #expect(fixture.wakes.schedule() == (fixture.seconds + 25) * MonotonicTime.nanosecondsPerSecond)
    }

    @Test func theCompletionHandlerEndsTheLimit() throws {
        _ = try attach()
        try fixture.send(.acknowledge(session: session, sequence: 2), from: socket)
        try fixture.send(.eventsHandled(session: session), from: socket)
        fixture.advance(by: 60)
        #expect(process.signals == [] && process.hasCompletedWake)
    }

    @Test("a second hello is refused, and starts no second time limit")
    func aSecondHelloHasNoEffect() throws {
        let program = ProgramDescription(name: "test", launchArguments: ["--background"], isBackgroundStart: true)
        let events = try fixture.send(.hello(newest: ClientLimits.version, oldest: 1, program), from: socket)
        #expect(!events.contains(.eventsWaiting(identifier: "session")))
        fixture.advance(by: 25)
        #expect(fixture.received(socket) == [.wakeExpires])
    }

    @Test func aProgramThatTheUserOpensIsNotStopped() throws {
        fixture.advance(by: 26)
        try fixture.send(.setPresence(.opened), from: socket)
        fixture.advance(by: 60)
        #expect(process.signals == [])
    }

    @Test func aProgramThatHasExitedHasNoLimit() throws {
        fixture.starter.exit()
        #expect(fixture.wakes.schedule() == nil)
    }

    @Test("a process that an earlier run of the service has started has no limit once its connection has ended")
    func aConnectedProcessEndsWithItsConnection() throws {
        fixture.starter.exit()
        let other = try fixture.connect("test", isBackgroundStart: true, presence: nil, modes: [])
        #expect(fixture.wakes.schedule() != nil)
        fixture.disconnect(other)
        #expect(fixture.wakes.schedule() == nil)
    }

    @Test func aProgramThatTheUserHasStartedHasNoLimit() throws {
        fixture.starter.exit()
        _ = try fixture.connect("test", presence: nil, modes: [])
        #expect(fixture.wakes.schedule() == nil)
    }

    @Test("a program that was started for events does not wait for the transfers that it creates")
    func furtherTransfersDoNotDelayTheEnd() throws {
        _ = try attach()
        fixture.services.transfers.handle(
            .resume, of: try fixture.services.create("running", isInBackground: true))
        let events = try fixture.send(.acknowledge(session: session, sequence: 2), from: socket)
        #expect(events.contains(.finishedEvents(session: session)))
    }

    @Test("a program that waits for an earlier transfer ends when its time ends")
    func earlierTransfersDelayTheEndUntilTheTimeEnds() throws {
        _ = try attach()
        _ = try fixture.services.start("running")
        let events = try fixture.send(.acknowledge(session: session, sequence: 2), from: socket)
        #expect(!events.contains(.finishedEvents(session: session)))
        fixture.advance(by: 25)
        #expect(fixture.received(socket) == [.wakeExpires, .finishedEvents(session: session)])
    }
}
