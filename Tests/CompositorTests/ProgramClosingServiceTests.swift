import CompositorProtocol
import Foundation
import Glibc
import Logging
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import Compositor

/// Tests the answers of the service. The end-to-end tests end real programs.
@Suite struct ProgramClosingServiceTests {
    private let scratch: TemporaryDirectory
    private let programs: ProgramConnections
    private let service: ProgramClosingService
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
        service = ProgramClosingService(programs: programs, snapshots: snapshots, logger: logger)
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
        var messages: [ServerMessage] = []
        let deadline = MonotonicTime.now + 20_000_000_000
        while messages.last != .systemDone {
            guard MonotonicTime.now < deadline else { throw TestFailure("no answer, but \(messages)") }
            if case .message(let message) = user.receive() {
                messages.append(try ServerMessage(decoding: message.bytes))
            } else {
                try loop.runOnce()
            }
        }
        return messages
    }

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
}
