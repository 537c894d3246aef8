import CompositorProtocol
import Foundation
import Glibc
import Logging
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import Compositor

/// Tests the answers of the service, which ends at most two processes at the same time here.
@Suite struct ProgramClosingServiceTests {
    /// The connected programs with the name `player`.
    private final class Players {
        /// The processes of the programs by their connection numbers. The service cannot identify them by their
        /// sockets, because this process has created both ends.
        var processes: [UInt64: ChildProcess] = [:]
        /// The programs' ends of the connections.
        var sockets: [MessageSocket] = []
        /// The number of processes that the service has opened.
        private(set) var openedCount = 0

        func open(_ id: UInt64) -> ProcessHandle? {
            guard let process = processes[id] else { return nil }
            openedCount += 1
            return try? ProcessHandle(process.pid)
        }
    }

    private let scratch: TemporaryDirectory
    private let programs: ProgramConnections
    private let service: ProgramClosingService
    private let players = Players()
    private let loop = EventLoop()
    /// The user's end of the connection 1.
    private let user: MessageSocket
    /// Keeps the other connections open.
    private let socket: MessageSocket

    init() throws {
        scratch = try TemporaryDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        programs = ProgramConnections(loop: loop, logger: logger)
        let snapshots = SnapshotService(path: scratch.path, programs: programs, logger: logger)
        service = ProgramClosingService(
            programs: programs, snapshots: snapshots, logger: logger, processLimit: 2,
            openProcess: { [players] in players.open($0) })
        let (userSocket, userPeer) = try MessageSocket.pair()
        user = userPeer
        programs.add(userSocket, processID: getpid())
        programs.recordHello(1, name: "system", version: ProtocolVersion.newest, isNewer: false)
        socket = userSocket
        loop.add(service, to: .system)
    }

    /// Closes programs, and returns the answer.
    private func close(_ name: String) throws -> [ServerMessage] {
        service.handle(name, from: try #require(programs.registry[1]))
        return try receiveAnswers(1)
    }

    /// Returns the next messages to the user, of which the last one is the answer to the request with the number
    /// `count`.
    private func receiveAnswers(_ count: Int) throws -> [ServerMessage] {
        var messages: [ServerMessage] = []
        let deadline = MonotonicTime.now + 20_000_000_000
        while messages.count(where: { $0 == .systemDone }) < count {
            guard MonotonicTime.now < deadline else { throw TestFailure("no answer, but \(messages)") }
            if case .message(let message) = user.receive() {
                messages.append(try ServerMessage(decoding: message.bytes))
            } else {
                try loop.runOnce()
            }
        }
        return messages
    }

    /// Starts a process that ignores SIGTERM, and connects it as a program with the name `player`.
    private func startPlayer() throws -> ChildProcess {
        let process = try ChildProcess("/bin/sh", ["-c", "trap '' TERM; echo ready; exec sleep 100"])
        guard process.output.wait(for: "ready") else { throw TestFailure("no process: \(process.errors.text)") }
        let (serverSocket, programSocket) = try MessageSocket.pair()
        programs.add(serverSocket, processID: process.pid)
        let id = try #require(programs.registry.all.last?.id)
        programs.recordHello(id, name: "player", version: ProtocolVersion.newest, isNewer: false)
        players.processes[id] = process
        players.sockets.append(programSocket)
        return process
    }

    /// Kills the processes that have ignored SIGTERM, without waiting until their time is up.
    private func killProcesses() { service.process([], now: MonotonicTime.now + ProgramClosingService.exitTimeout) }

    @Test func anUnknownNameIsAnsweredAtOnce() throws { #expect(try close("player") == [.systemDone]) }

    @Test func theRequesterDoesNotCloseItself() throws {
        #expect(try close("system") == [.systemDone])
        #expect(try close("\(getpid())") == [.systemDone])
    }

    @Test func aPictureIsDeletedWithoutItsProgram() throws {
        let folder = try SnapshotFolder(path: scratch.path)
        try folder.write([1], for: "player.png")
        try folder.publish("player.png")
        #expect(try close("player") == [.systemDone] && !folder.contains("player.png"))
    }

    @Test func theListNamesProgramsWithPicturesOnly() throws { #expect(service.pictures.isEmpty) }

    @Test("two requests for one process are both answered, and the process is opened once")
    func eachRequestForAProcessIsAnswered() throws {
        let player = try startPlayer(), requester = try #require(programs.registry[1])
        service.handle("player", from: requester)
        service.handle("\(player.pid)", from: requester)
        killProcesses()
        let closed = ServerMessage.programClosed(processID: player.pid, wasKilled: true)
        #expect(try receiveAnswers(2) == [closed, closed, .systemDone, .systemDone])
        #expect(players.openedCount == 1 && service.entries.isEmpty)
    }

    @Test func processesBeyondTheLimitAreNotEnded() throws {
        let processes = [try startPlayer(), try startPlayer(), try startPlayer()]
        let closed = processes.map { ServerMessage.programClosed(processID: $0.pid, wasKilled: true) }
        let requester = try #require(programs.registry[1])
        service.handle("player", from: requester)
        #expect(players.openedCount == 2 && service.entries.count == 2)
        // The third process is refused while the other processes end.
        service.handle("\(processes[2].pid)", from: requester)
        #expect(try receiveAnswers(1) == [.systemDone])
        killProcesses()
        let answer = try receiveAnswers(1)
        #expect(answer.count == 3 && answer.contains(closed[0]) && answer.contains(closed[1]))
        #expect(processes[2].isRunning)
        service.handle("\(processes[2].pid)", from: requester)
        killProcesses()
        #expect(try receiveAnswers(1) == [closed[2], .systemDone])
    }

    @Test func requestsBeyondTheLimitAreAnsweredAtOnce() throws {
        let player = try startPlayer(), requester = try #require(programs.registry[1])
        let limit = ProgramClosingService.requestLimit
        for _ in 0..<limit { service.handle("player", from: requester) }
        service.handle("player", from: requester)
        #expect(try receiveAnswers(1) == [.systemDone])
        killProcesses()
        let closed = ServerMessage.programClosed(processID: player.pid, wasKilled: true)
        let answers = try receiveAnswers(limit)
        #expect(answers.count == 2 * limit && answers.count(where: { $0 == closed }) == limit)
        #expect(players.openedCount == 1)
    }
}
