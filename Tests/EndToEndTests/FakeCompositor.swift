import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import WireFormat

/// A simulated compositor for a program under test. The test decides when the compositor replies to most messages, so
/// that the test can interrupt Picture-in-Picture at every step.
///
/// The simulated compositor replies by itself only to the messages `hello` and `openSession`, and releases all frames
/// after the messages `stop` and `stopAnimated`. The test sends all other messages with ``send(_:)``.
final class FakeCompositor {
    private let listener: FileDescriptor
    /// The path of the socket to which programs connect.
    private let socketPath: String
    /// Whether ``shutDown()`` was called, after which no connection is accepted.
    private var isClosed = false
    /// The connection to the program under test; nil while no program is connected.
    private var socket: MessageSocket?
    /// The messages that the program has sent so far, oldest first.
    private(set) var messages: [ClientMessage] = []
    /// The protocol version that the reply to the message `hello` contains.
    private let protocolVersion: UInt16
    /// The ring buffers of the program's session; nil before the message `openSession`.
    private var rings: Rings?
    /// The reason that is sent when a new connection is refused; nil if new connections are accepted.
    var refusalReason: String?
    /// The number of refused connections.
    private(set) var refusedConnectionCount = 0

    /// The two ring buffers in shared memory between a program and the compositor: for frames to show, and for frames
    /// that the compositor releases.
    private final class Rings {
        private var frames: SharedRingReader
        private let releases: SharedRingWriter

        init(_ descriptors: [SharedDescriptor]) throws {
            guard descriptors.count == 3 else { throw TestFailure("the session does not have three descriptors") }
            let frameMemory = try MemoryFile(
                received: FileDescriptor(duplicating: descriptors[0].raw), minimumSize: SharedRing.byteCount,
                maximumSize: 1 << 20)
            let releaseMemory = try MemoryFile(
                received: FileDescriptor(duplicating: descriptors[1].raw), minimumSize: SharedRing.byteCount,
                maximumSize: 1 << 20)
            frames = try SharedRingReader(frameMemory)
            releases = try SharedRingWriter(releaseMemory)
        }

        /// Releases all frames that the program has sent so far, so that the program can reuse their memory.
        func releaseFrames() throws {
            while let entry = try frames.pop() {
                releases.push(ReleasedFrame(frame: FrameEntry(entry).frame, shownAt: 0).entry)
            }
        }
    }

    init(directory: RuntimeDirectory, version: UInt16 = ProtocolVersion.newest) throws {
        protocolVersion = version
        let folder = directory.path + "/swiftplay"
        try systemCall("mkdir") { mkdir(folder, 0o700) }
        socketPath = folder + "/compositor"
        listener = try LocalSocket.listen(path: socketPath)
    }

    /// Accepts a waiting connection, receives the messages of the program and replies to them. Does not block.
    private func processMessages() throws {
        if socket == nil, !isClosed, let connection = try LocalSocket.accept(listener) {
            guard let refusalReason else { return socket = connection }
            try connection.send(ServerMessage.refused(reason: refusalReason).encoded)
            refusedConnectionCount += 1
        }
        while let socket, case .message(let incoming) = socket.receive() {
            let message = try ClientMessage(decoding: incoming.bytes)
            messages.append(message)
            switch message {
            case .hello: try send(.welcome(version: protocolVersion))
            case .openSession(let session, _):
                rings = try Rings(incoming.descriptors)
                try send(.sessionOpened(session: session))
            case .stop, .stopAnimated: try rings?.releaseFrames()
            default: break
            }
        }
    }

    /// Waits until the program has sent `times` messages for which `condition` returns true, and returns the last of
    /// these messages.
    ///
    /// - Throws: ``TestFailure`` if the program does not send the messages within 15 s.
    @discardableResult
    func wait(times: Int = 1, for condition: (ClientMessage) -> Bool) throws -> ClientMessage {
        let message = try Deadline.poll(for: .seconds(15)) { () throws -> ClientMessage? in
            try processMessages()
            let matches = messages.filter(condition)
            return matches.count >= times ? matches[times - 1] : nil
        }
        guard let message else { throw TestFailure("the program did not send the message; it sent \(messages)") }
        return message
    }

    /// Waits until `count` connections have been refused.
    func waitForRefusedConnections(count: Int) throws {
        let isReached = try Deadline.poll(for: .seconds(15)) { () throws -> Bool? in
            try processMessages()
            return refusedConnectionCount >= count ? true : nil
        }
        guard isReached == true else { throw TestFailure("only \(refusedConnectionCount) connections were refused") }
    }

    /// Sends a message to the program under test.
    func send(_ message: ServerMessage) throws {
        guard let socket else { throw TestFailure("no program is connected") }
        try socket.send(message.encoded)
    }

    /// Closes the connection abruptly and accepts no further connections, as after a crash.
    func shutDown() {
        socket?.shutdown()
        socket = nil
        isClosed = true
        unlink(socketPath)
    }
}
