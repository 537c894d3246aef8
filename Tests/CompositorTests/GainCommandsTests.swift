import AudioPolicy
import Logging
import SystemCalls
import Testing

@testable import AudioOutput
@testable import Compositor

/// Tests which gain commands are checked, and when. The process IDs belong to no process, so that the sound server is
/// not queried.
@Suite struct GainCommandsTests {
    private let commands = GainCommands(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    private let page: SharedGainPage
    private let id = AudioArbiter.ID(client: 1, session: 1)

    init() throws {
        page = try SharedGainPage()
        commands.open(id, page, processID: 0)
    }

    /// Sends a command that closes the session's gate.
    private func closeGate(isRunning: Bool = true) {
        let gateCommand = GateCommand(isOpen: false, milliseconds: 30, time: 1_000_000)
        commands.issue(to: id, isRunning: isRunning) { $0.issue(gateCommand, isChecked: false) }
    }

    /// Performs the checks that are due at the host time `now`.
    private func check(_ now: Int64, isRunning: Bool = true, process: Int32? = .max) {
        commands.check(now: now) { _ in
            isRunning
        } processOf: { _ in
            process
        }
    }

    @Test("a command to a session that renders no audio is not checked")
    func commandsToPausedSessionsAreNotChecked() {
        closeGate(isRunning: false)
        #expect(commands.deadline == nil && page.gate.isOpen == false)
    }

    @Test("a command to a session that is not open is not sent")
    func commandsToClosedSessionsAreNotSent() {
        let unknownID = AudioArbiter.ID(client: 1, session: 2)
        commands.issue(to: unknownID, isRunning: true) { _ in Issue.record("a command was sent") }
        #expect(commands.deadline == nil && commands[unknownID] == nil && !commands.isOpen(unknownID))
    }

    @Test("a command that the program acknowledges is checked once")
    func acknowledgedCommandIsCheckedOnce() throws {
        closeGate()
        let deadline = try #require(commands.deadline)
        check(deadline - 1)
        #expect(commands.deadline == deadline, "the check is not due yet")
        page.acknowledge(page.words)
        check(deadline)
        #expect(commands.deadline == nil)
    }

    @Test("an ignored command to be silent is checked every 100 ms until it is acknowledged")
    func ignoredGateCommandIsCheckedAgain() throws {
        closeGate()
        var now = try #require(commands.deadline)
        for _ in 0..<3 {
            check(now)
            #expect(commands.deadline == now + 100_000_000)
            now += 100_000_000
        }
        page.acknowledge(page.words)
        check(now)
        #expect(commands.deadline == nil)
    }

    @Test("the acknowledgement of an earlier command does not count")
    func staleAcknowledgementDoesNotCount() throws {
        closeGate()
        page.acknowledge(page.words)
        let gateCommand = GateCommand(isOpen: false, milliseconds: 30, time: 2_000_000)
        commands.issue(to: id, isRunning: true) { $0.issue(gateCommand, isChecked: false) }
        let deadline = try #require(commands.deadline)
        check(deadline)
        #expect(commands.deadline != nil && commands[id]?.areAcknowledged == false)
    }

    @Test("ignored commands that leave the session audible are not checked again")
    func ignoredDuckCommandIsCheckedOnce() throws {
        let gateCommand = GateCommand(isOpen: true, milliseconds: 0, time: 1_000_000)
        commands.issue(to: id, isRunning: true) { $0.issue(gateCommand, isChecked: false) }
        commands.issue(to: id, isRunning: true) {
            $0.issue(DuckCommand(decibels: 14, milliseconds: 250, time: 2_000_000))
        }
        #expect(commands.deadline != nil && commands[id]?.areAcknowledged == false)
        for _ in 0..<2 { if let deadline = commands.deadline { check(deadline) } }
        #expect(commands.deadline == nil && page.duck.decibels == 14)
    }

    @Test("a check ends with the session, its connection or its rendering", arguments: 0..<3)
    func checkEndsWithTheSession(reason: Int) throws {
        closeGate()
        let deadline = try #require(commands.deadline)
        if reason == 0 { commands.close(id) }
        check(deadline, isRunning: reason != 1, process: reason == 2 ? nil : .max)
        #expect(commands.deadline == nil)
    }

    @Test("closing all sessions returns them in order, and cancels their checks")
    func closingAllSessionsCancelsTheirChecks() throws {
        let otherIDs = [(2, 7), (0, 9), (1, 0)].map { AudioArbiter.ID(client: UInt64($0.0), session: $0.1) }
        for otherID in otherIDs { commands.open(otherID, try SharedGainPage(), processID: 0) }
        #expect(commands.sessions(of: 1) == [otherIDs[2], id] && commands.sessionCount(of: 1) == 2)
        closeGate()
        #expect(commands.closeAll() == [otherIDs[1], otherIDs[2], id, otherIDs[0]])
        #expect(commands.isEmpty && commands.deadline == nil)
    }
}
