import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import BackgroundService

/// Starts of a program for the events of its sessions. The program is `sleep`.
@Suite struct ProgramLauncherTests {
    private let fixture: ServiceFixture
    private let connection: ClientConnection

    init() throws {
        fixture = try ServiceFixture(deliversEvents: true)
        let program = try ChildProcess("/bin/sleep", ["60"])
        _ = try fixture.sessions.register(
            ProgramDescription(name: "test", launchArguments: ["60"]), processID: program.pid)
        connection = ClientConnection(socket: try MessageSocket.pair().1, processID: getpid())
        connection.client = fixture.session.client
        _ = try fixture.start()
        fixture.finish()
    }

    /// Calls the launcher once, and returns whether it has started the program, which ends then.
    private func startsProgram() throws -> Bool {
        let launcher = ProgramLauncher(sessions: fixture.sessions, loop: EventLoop())
        _ = launcher.startPrograms()
        guard let start = fixture.session.client.start else { return false }
        start.process.send(signal: SIGKILL)
        waitpid(start.process.processID, nil, 0)
        fixture.session.client.start = nil
        return true
    }

    @Test func aProgramWithEventsIsStarted() throws {
        #expect(try startsProgram())
    }

    @Test func aProgramIsStartedAfterAStartOfTheMachine() throws {
        try fixture.changeDevices()
        try fixture.restart(boot: "next boot")
        #expect(try startsProgram())
    }

    @Test func aProgramThatIsConnectedWithoutTheSessionIsNotStarted() throws {
        fixture.sessions.connections = { [connection] in [connection] }
        #expect(try !startsProgram())
    }

    @Test func aProgramWhoseConnectionHasEndedIsStarted() throws {
        fixture.sessions.connections = { [connection] in [connection] }
        connection.close()
        #expect(try startsProgram())
    }

    @Test func anotherConnectedProgramDoesNotCount() throws {
        connection.client = nil
        fixture.sessions.connections = { [connection] in [connection] }
        #expect(try startsProgram())
    }

    @Test func afterARestartOfTheServiceTheProgramMayConnectAgain() throws {
        try fixture.restart()
        fixture.time.now += 4_900_000_000
        #expect(try !startsProgram())
        fixture.time.now += 200_000_000
        #expect(try startsProgram())
    }

    @Test("after a restart of the service, the program may also connect again for a transfer that ends meanwhile")
    func aProgramThatWaitsForATransferMayConnectAgain() throws {
        _ = try fixture.start("other.mkv")
        fixture.session.sentSequence = 2
        try fixture.sessions.acknowledge(fixture.session, through: 2)
        try fixture.restart()
        try #require(fixture.sessions.eventCount(of: fixture.session) == 0)
        _ = fixture.transfers.schedule()
        fixture.finish()
        #expect(fixture.sessions.eventCount(of: fixture.session) == 2)
        #expect(try !startsProgram())
        fixture.time.now += 5_100_000_000
        #expect(try startsProgram())
    }

    @Test func theServiceWakesAtTheEndOfTheReconnection() throws {
        try fixture.restart()
        let launcher = ProgramLauncher(sessions: fixture.sessions, loop: EventLoop())
        #expect(launcher.startPrograms() == fixture.time.now + 5_000_000_000)
    }
}
