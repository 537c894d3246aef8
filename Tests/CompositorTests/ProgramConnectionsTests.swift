import CompositorProtocol
import Logging
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import Compositor

/// Tests the connections to programs with real sockets and a real event loop.
@Suite struct ProgramConnectionsTests {
    private let loop = EventLoop()
    private let programs: ProgramConnections
    private let log = EventLog()

    /// The messages and disconnections that the service has reported, in order.
    private final class EventLog { var events: [String] = [] }

    init() {
        let log = log
        programs = ProgramConnections(loop: loop, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        programs.onMessage = { message, program throws(MalformedMessage) in
            if message.bytes == [0] { throw MalformedMessage("a wrong message") }
            log.events.append("\(program.id): \(message.bytes)")
        }
        programs.onDisconnect = { log.events.append("\($0.id) disconnected") }
    }

    /// Connects a program of the process `processID`. Returns the program's end of the connection.
    private func connect(_ processID: Int32 = 0) throws -> MessageSocket {
        let (socket, peerSocket) = try MessageSocket.pair()
        programs.add(socket, processID: processID)
        return peerSocket
    }

    @Test("connections are numbered from 1, and no number is used again")
    func connectionNumbersAreNotReused() throws {
        let peers = [try connect(), try connect()]
        #expect(programs.registry.all.map(\.id) == [1, 2])
        programs.disconnect(2, reason: "test")
        programs.endDisconnectedPrograms()
        let thirdPeer = try connect()
        #expect(programs.registry.all.map(\.id) == [1, 3])
        withExtendedLifetime((peers, thirdPeer)) {}
    }

    @Test("a refused program receives the reason, and then the end of the connection")
    func refusedProgramReceivesTheReason() throws {
        let peers = try (0..<ProgramRegistry.connectionLimitOfProcess).map { _ in try connect(7) }
        let refusedPeer = try connect(7)
        #expect(programs.registry.all.count == peers.count)
        guard case .message(let message) = refusedPeer.receive() else {
            Issue.record("no reason was sent")
            return
        }
        #expect(
            try ServerMessage(decoding: message.bytes) == .refused(reason: "the program has too many connections"))
        guard case .closed = refusedPeer.receive() else {
            Issue.record("the connection is still open")
            return
        }
    }

    @Test("messages are handled in order, at most 64 of a program in one iteration of the loop")
    func messagesOfOneIterationAreLimited() throws {
        let peer = try connect()
        for number in 1...100 as ClosedRange<UInt8> { try peer.send([number]) }
        try loop.runOnce()
        #expect(log.events.count <= 64 && log.events.first == "1: [1]")
        while log.events.count < 100 { try loop.runOnce() }
        #expect(log.events == (1...100).map { "1: [\($0)]" })
    }

    @Test("a program that breaks the protocol is disconnected, and its later messages are ignored")
    func malformedMessageDisconnectsItsProgram() throws {
        let peer = try connect(), otherPeer = try connect()
        for message in [[1], [0], [2]] as [[UInt8]] { try peer.send(message) }
        try otherPeer.send([3])
        try loop.runOnce()
        #expect(log.events == ["1: [1]", "2: [3]"] && !programs.isConnected(1) && programs.isConnected(2))
        #expect(programs.registry[1] != nil, "its windows and sessions have not ended yet")
        programs.endDisconnectedPrograms()
        programs.endDisconnectedPrograms()
        #expect(log.events.dropFirst(2) == ["1 disconnected"] && programs.registry[1] == nil)
        #expect(!programs.read(1))
    }

    @Test("the last messages of a program that has closed its connection are handled before it is disconnected")
    func lastMessagesBeforeTheEndAreHandled() throws {
        let peer = try connect()
        try peer.send([5])
        peer.shutdown()
        #expect(!programs.read(1))
        programs.endDisconnectedPrograms()
        #expect(log.events == ["1: [5]", "1 disconnected"])
    }

    @Test("a program that sends no hello within two seconds is disconnected", arguments: [false, true])
    func programWithoutHelloIsDisconnected(sendsHello: Bool) throws {
        let (socket, peer) = try MessageSocket.pair()
        let connection = ProgramConnection(id: 1, socket: socket, connections: programs)
        let deadline = try #require(connection.deadline)
        programs.add(socket, processID: 0)
        connection.process([], now: deadline - 1)
        #expect(programs.isConnected(1))
        if sendsHello { connection.didReceiveHello() }
        connection.process([], now: deadline)
        #expect(programs.isConnected(1) == sendsHello && (connection.deadline == nil) == sendsHello)
        withExtendedLifetime(peer) {}
    }

    @Test("a program that does not read its messages is disconnected")
    func programThatDoesNotReadIsDisconnected() throws {
        let peer = try connect()
        let message = ServerMessage.sessionFailed(session: 1, reason: String(repeating: "x", count: 1000))
        for _ in 0..<100_000 where programs.isConnected(1) { programs.send(message, to: 1) }
        #expect(!programs.isConnected(1))
        programs.send(message, to: 1)
        programs.endDisconnectedPrograms()
        #expect(log.events == ["1 disconnected"])
        withExtendedLifetime(peer) {}
    }

    @Test("the messages of a program whose reading is paused wait in its socket")
    func pausedProgramIsNotRead() throws {
        let peer = try connect(), otherPeer = try connect()
        programs.isReadingPaused = { $0 == 1 }
        try peer.send([1])
        try otherPeer.send([2])
        try loop.runOnce()
        #expect(log.events == ["2: [2]"] && !programs.read(1))
        programs.isReadingPaused = { _ in false }
        try loop.runOnce()
        #expect(log.events == ["2: [2]", "1: [1]"])
    }

    @Test("a program supports the interfaces that it has announced, up to their versions")
    func supportedInterfacesAreThoseOfTheProgram() throws {
        let peer = try connect()
        #expect(!programs.supports(.windows, 1, program: 1))
        programs.registry.update(1) { $0.interfaces = InterfaceVersions([ProtocolInterface.windows.rawValue: 2]) }
        #expect(programs.supports(.windows, 2, program: 1) && !programs.supports(.windows, 3, program: 1))
        #expect(!programs.supports(.system, 1, program: 1) && !programs.supports(.windows, 1, program: 9))
        withExtendedLifetime(peer) {}
    }
}
