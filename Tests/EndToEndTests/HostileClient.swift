import CLinux
import CompositorProtocol
import Foundation
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing
import WireFormat

/// A program that speaks to the compositor whatever it likes.
final class HostileClient {
    /// The memory and the events of a session, which can be broken at will.
    final class Rings {
        let frames: MemoryFile
        let releases: MemoryFile
        let frameEvent: EventDescriptor
        let writer: DescriptorRingWriter
        private let memory: Mapping

        init(size: Int = DescriptorRing.byteCount) throws(SystemCallError) {
            frames = try MemoryFile(name: "hostile-ring", size: size)
            releases = try MemoryFile(name: "hostile-ring", size: size)
            frameEvent = try EventDescriptor()
            writer = try DescriptorRingWriter(frames)
            memory = try frames.map(writable: true)
        }

        var descriptors: [Int32] { [frames.descriptor.raw, releases.descriptor.raw, frameEvent.raw] }

        /// Claims that so many frames were ever written.
        func claim(_ count: UInt64) {
            memory.base.storeBytes(of: count, as: UInt64.self)
            frameEvent.signal()
        }

        func push(slot: UInt32, format: UInt32) {
            writer.push(FrameEntry(frame: 1, slot: slot, format: format, presentationTime: 0, hostTime: 0).entry)
            frameEvent.signal()
        }
    }

    private let socket: MessageSocket

    init(directory: RuntimeDirectory) throws {
        socket = try LocalSocket.connect(path: directory.path + "/swiftplay/compositor")
    }

    /// Sends, waiting for room; what a connection that was cut does not take is lost, as it should be.
    func send(bytes: [UInt8], descriptors: [Int32] = []) {
        _ = Deadline.poll(for: .seconds(5)) { () -> Void? in
            do throws(SystemCallError) {
                try socket.send(bytes, descriptors: descriptors)
                return ()
            } catch {
                if error.number == EBADF || error.number == EFAULT {
                    Issue.record("the test sends what it does not have: \(error)")
                }
                return error.number == EAGAIN ? nil : ()
            }
        }
    }

    func send(_ message: ClientMessage, descriptors: [Int32] = []) {
        send(bytes: message.encoded, descriptors: descriptors)
    }

    /// Sends; a message for which there is no room is lost.
    func sendIfThereIsRoom(_ message: ClientMessage) { try? socket.send(message.encoded) }

    func hello() { send(.hello(current: ProtocolVersion.current, oldest: ProtocolVersion.oldest, program: "hostile")) }

    /// Says hello and opens session 1 in good order.
    func open() throws -> Rings {
        let rings = try Rings()
        hello()
        send(.openSession(session: 1, surface: .headless), descriptors: rings.descriptors)
        try wait(for: .sessionOpened(session: 1))
        return rings
    }

    /// Opens session 1 and its window with a black picture of a format.
    ///
    /// - Parameter display: nil for the desk's.
    /// - Returns: the session's rings.
    func openWindow(of format: FrameFormat, on display: String? = nil) throws -> Rings {
        let rings = try Rings(),
            memory = try MemoryFile(name: "hostile", size: format.layout.requiredSize + FrameLayout.slack)
        let environment = ProcessInfo.processInfo.environment
        let surface = ClientMessage.Surface.x11(
            display: display ?? environment["DISPLAY"] ?? "", authority: environment["XAUTHORITY"] ?? "")
        hello()
        send(.openSession(session: 1, surface: surface), descriptors: rings.descriptors)
        try wait(for: .sessionOpened(session: 1))
        send(.slot(session: 1, slot: 0), descriptors: [memory.descriptor.raw])
        send(.format(session: 1, number: 0, format: format))
        send(.requestStart(session: 1))
        try wait(for: .granted(session: 1))
        rings.push(slot: 0, format: 0)
        send(.start(session: 1))
        try wait(for: .shown(session: 1, frame: 1), within: .seconds(20))
        return rings
    }

    /// A square in shades of gray.
    static func gray(_ edge: Int) throws -> FrameFormat {
        guard let pixels = PixelFormat(name: "gray"),
            let layout = FrameLayout(aligned: pixels, width: edge, height: edge)
        else {
            throw RigError("no such layout")
        }
        return FrameFormat(layout: layout, attributes: PictureAttributes())
    }

    /// Waits until the compositor says this.
    func wait(for message: ServerMessage, within patience: Duration = .seconds(5)) throws {
        let heard = try Deadline.poll(for: patience) { () throws -> Bool? in
            while case .message(let incoming) = socket.receive() {
                if try ServerMessage(decoding: incoming.bytes) == message { return true }
            }
            return nil
        }
        guard heard == true else { throw RigError("the compositor never said \(message)") }
    }

    /// Waits until the compositor sends a report that `condition` holds for, and returns its number. Forgets what came
    /// before it.
    func sequence(where condition: (AudioReport) -> Bool) throws -> UInt64 {
        let found = try Deadline.poll(for: .seconds(5)) { () throws -> UInt64? in
            while case .message(let incoming) = socket.receive() {
                if case .audio(_, let sequence, let report) = try ServerMessage(decoding: incoming.bytes),
                    condition(report)
                {
                    return sequence
                }
            }
            return nil
        }
        guard let found else { throw RigError("the compositor does not send the report") }
        return found
    }

    /// Has the compositor ended the connection?
    func isCutOff(within patience: Duration = .seconds(5)) -> Bool {
        Deadline.poll(for: patience) { () -> Bool? in
            while true {
                switch socket.receive() {
                case .closed: return true
                case .nothing: return nil
                case .message: break
                }
            }
        } ?? false
    }

    /// A memory file without a seal.
    static func unsealed(size: Int) throws -> FileDescriptor {
        let file = FileDescriptor(
            owning: try systemCall("memfd_create") { clinux_memfd_create("hostile", clinux_mfd_flags()) })
        try systemCall("ftruncate") { ftruncate(file.raw, size) }
        return file
    }

    /// 640x360, three planes.
    static func overlay() throws -> OverlayShape {
        guard
            let shape = OverlayShape(
                size: PixelSize(width: 100, height: 100), rects: [PixelRect(x: 10, y: 10, width: 80, height: 80)])
        else {
            throw RigError("no overlay")
        }
        return shape
    }

    static func format() throws -> FrameFormat {
        let planes = [(0, 640), (230_400, 320), (288_000, 320)].map { FrameLayout.Plane(offset: $0.0, stride: $0.1) }
        guard let pixels = PixelFormat(name: "yuv420p"),
            let layout = FrameLayout(pixelFormat: pixels, width: 640, height: 360, planes: planes)
        else { throw RigError("no such layout") }
        return FrameFormat(layout: layout, attributes: PictureAttributes())
    }
}
