import CompositorProtocol
import Foundation
import Logging
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import Compositor

/// Tests the service with real sockets, threads and files.
@Suite struct SnapshotServiceTests {
    private let scratch: TemporaryDirectory
    private let programs: ProgramConnections
    private let service: SnapshotService
    /// The program's end of the connection.
    private let peer: MessageSocket

    init() throws {
        scratch = try TemporaryDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        programs = ProgramConnections(loop: EventLoop(), logger: logger)
        service = SnapshotService(path: scratch.path, programs: programs, logger: logger)
        let (socket, peer) = try MessageSocket.pair()
        self.peer = peer
        programs.add(socket, processID: 7)
        programs.recordHello(1, name: "player", version: ProtocolVersion.newest, isNewer: false)
        programs.registry.update(1) { $0.interfaces = .supported }
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: scratch.path)) ?? []).sorted()
    }

    private func program() throws -> ProgramRegistry.Program { try #require(programs.registry[1]) }

    private func send(_ message: SnapshotMessage, _ descriptors: [SharedDescriptor] = []) throws {
        service.handle(message, descriptors, from: try program())
    }

    private func send(_ picture: SentPicture, title: String = "Film") throws {
        try send(.picture(picture.shape, title: title), [picture.descriptor])
    }

    /// Returns the messages that the program has received.
    private func receivedMessages() throws -> [ServerMessage] {
        var messages: [ServerMessage] = []
        while case .message(let message) = peer.receive() {
            messages.append(try ServerMessage(decoding: message.bytes))
        }
        return messages
    }

    /// Lets the service handle the reports of its thread until the condition holds.
    private func waitUntil(_ condition: () -> Bool) -> Bool {
        Deadline.poll(for: .seconds(20)) { () -> Bool? in
            var entries = service.entries
            for index in entries.indices { entries[index].ready = .readable }
            service.process(entries[...], now: MonotonicTime.now)
            return condition() ? true : nil
        } == true
    }

    @Test func aRequestedPictureIsWritten() throws {
        try send(.completedWork)
        #expect(try receivedMessages() == [.snapshotRequested])
        try send(try SentPicture())
        #expect(waitUntil { names == ["player.png"] })
        let file = try #require(FileManager.default.contents(atPath: scratch.path + "/player.png"))
        #expect(SnapshotFile.texts(in: Array(file)) == SnapshotFile.Texts(identifier: "player", title: "Film"))
        service.close()
    }

    @Test func thePictureIsKeptUnderTheIdentifierOfTheProgram() throws {
        try send(.identifier("org.example/podcasts"))
        try send(.completedWork)
        try send(try SentPicture())
        #expect(waitUntil { names == ["org.example%2Fpodcasts.png"] })
        #expect(service.identifier(of: try program()) == "org.example/podcasts")
        service.close()
    }

    @Test("a picture that is refused uses up its request, and its program stays connected")
    func aRefusedPictureIsDropped() throws {
        let picture = try SentPicture()
        try send(.completedWork)
        try send(.picture(SnapshotShape(width: 1, height: 100_000, stride: 4), title: ""), [picture.descriptor])
        try send(picture)
        service.close()
        #expect(names == [] && programs.isConnected(1))
    }

    @Test func aPictureThatWasNotRequestedIsIgnored() throws {
        try send(try SentPicture())
        try send(.isPrivate(false))
        try send(try SentPicture())
        service.close()
        #expect(names == [] && programs.isConnected(1))
    }

    @Test func aPrivateProgramLosesItsPictureAtOnce() throws {
        try send(.completedWork)
        try send(try SentPicture())
        #expect(waitUntil { names == ["player.png"] })
        try send(.isPrivate(true))
        #expect(names == [])
        #expect(service.picture(of: try program())?.isPrivate == true)
        service.close()
    }

    @Test func aProgramThatLeavesTheScreenIsAskedForAPicture() throws {
        service.addIfUnknown(try program())
        service.handle(.primary, isFloating: false, of: 1)
        #expect(try receivedMessages() == [])
        service.handle(.backgroundMedia, isFloating: false, of: 1)
        #expect(try receivedMessages() == [.snapshotRequested])
        service.close()
    }

    @Test func anOlderProgramIsNotAsked() throws {
        programs.registry.update(1) { $0.interfaces = InterfaceVersions([ProtocolInterface.programs.rawValue: 2]) }
        try send(.completedWork)
        #expect(try receivedMessages() == [])
        service.close()
    }

    @Test func thePictureOfAnEndedProgramStays() throws {
        try send(.completedWork)
        try send(try SentPicture())
        #expect(waitUntil { names == ["player.png"] })
        service.handleDisconnection(of: 1)
        let picture = service.picture(of: try program())
        #expect(picture == nil && names == ["player.png"])
        service.removePicture(of: "player")
        #expect(names == [])
        service.close()
    }

    @Test func aMarkedPictureIsDeletedAtTheNextStart() throws {
        try send(.completedWork)
        try send(try SentPicture())
        #expect(waitUntil { names == ["player.png"] })
        try send(.ignoreOnNextLaunch)
        #expect(names == ["player.png", "player.png.once"])
        service.handleDisconnection(of: 1)
        service.addIfUnknown(try program())
        #expect(names == [])
        service.close()
    }

    @Test func withoutADirectoryNoPictureIsKept() throws {
        let path = scratch.path + "/file"
        try Data([1]).write(to: URL(fileURLWithPath: path))
        let service = SnapshotService(
            path: path, programs: programs, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        service.handle(.completedWork, [], from: try program())
        let picture = try SentPicture()
        service.handle(.picture(picture.shape, title: ""), [picture.descriptor], from: try program())
        service.handle(.isPrivate(true), [], from: try program())
        #expect(service.entries.isEmpty)
        #expect(service.picture(of: try program())?.isPrivate == true)
        service.close()
    }

    @Test func aPictureThatIsDeletedWhileItIsCopiedDoesNotReturn() throws {
        try send(.completedWork)
        try send(try SentPicture(width: 512, height: 512))
        service.removePicture(of: "player")
        service.close()
        #expect(names == [])
    }

    @Test func theServiceHasADeadlineWhileARequestWaits() throws {
        #expect(service.deadline == nil)
        try send(.completedWork)
        try send(.completedWork)
        let wait = try #require(service.deadline) - MonotonicTime.now
        #expect(wait > 0 && wait <= 10_000_000_000)
        service.close()
    }
}
