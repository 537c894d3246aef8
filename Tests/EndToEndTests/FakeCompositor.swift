import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import WireFormat

/// Stands where a compositor stands, so that a test can stop it at every step: it opens sessions, and says the rest
/// only when it is told to.
final class FakeCompositor {
    private let listener: FileDescriptor
    private let path: String
    private var isDead = false
    private var socket: MessageSocket?
    private(set) var heard: [ClientMessage] = []
    private let version: UInt16
    private var rings: Rings?
    /// Why programs are refused; nil while they are served.
    var refusal: String?
    private(set) var refused = 0

    /// Of the one session: frames are given back when the window is.
    private final class Rings {
        private var frames: DescriptorRingReader
        private let releases: DescriptorRingWriter

        init(_ descriptors: [SharedDescriptor]) throws {
            guard descriptors.count == 3 else { throw RigError("a session without its three descriptors") }
            let there = try MemoryFile(
                received: FileDescriptor(duplicating: descriptors[0].raw), minimumSize: DescriptorRing.byteCount,
                maximumSize: 1 << 20)
            let back = try MemoryFile(
                received: FileDescriptor(duplicating: descriptors[1].raw), minimumSize: DescriptorRing.byteCount,
                maximumSize: 1 << 20)
            frames = try DescriptorRingReader(there)
            releases = try DescriptorRingWriter(back)
        }

        func giveBack() throws {
            while let entry = try frames.pop() {
                releases.push(ReleaseEntry(frame: FrameEntry(entry).frame, shownAt: 0).entry)
            }
        }
    }

    init(directory: RuntimeDirectory, version: UInt16 = ProtocolVersion.current) throws {
        self.version = version
        let folder = directory.path + "/swiftplay"
        try systemCall("mkdir") { mkdir(folder, 0o700) }
        path = folder + "/compositor"
        listener = try LocalSocket.listen(path: path)
    }

    /// Takes what the program says.
    private func listen() throws {
        if socket == nil, !isDead, let accepted = try LocalSocket.accept(listener) {
            guard let refusal else { return socket = accepted }
            try accepted.send(ServerMessage.refused(reason: refusal).encoded)
            refused += 1
        }
        while let socket, case .message(let incoming) = socket.receive() {
            let message = try ClientMessage(decoding: incoming.bytes)
            heard.append(message)
            switch message {
            case .hello: try say(.welcome(version: version))
            case .openSession(let session, _):
                rings = try Rings(incoming.descriptors)
                try say(.sessionOpened(session: session))
            case .stop, .land: try rings?.giveBack()
            default: break
            }
        }
    }

    /// Waits for the `times`th message that `condition` holds for.
    @discardableResult
    func wait(times: Int = 1, for condition: (ClientMessage) -> Bool) throws -> ClientMessage {
        let found = try Deadline.poll(for: .seconds(15)) { () throws -> ClientMessage? in
            try listen()
            let found = heard.filter(condition)
            return found.count >= times ? found[times - 1] : nil
        }
        guard let found else { throw RigError("the program does not say it; it said \(heard)") }
        return found
    }

    /// Waits until so many connections were refused.
    func wait(refusals count: Int) throws {
        let isDone = try Deadline.poll(for: .seconds(15)) { () throws -> Bool? in
            try listen()
            return refused >= count ? true : nil
        }
        guard isDone == true else { throw RigError("\(refused) connections were refused") }
    }

    func say(_ message: ServerMessage) throws {
        guard let socket else { throw RigError("nobody is connected") }
        try socket.send(message.encoded)
    }

    /// The connection ends in the middle of whatever was going on, and nobody listens any more.
    func die() {
        socket?.shutdown()
        socket = nil
        isDead = true
        unlink(path)
    }
}
