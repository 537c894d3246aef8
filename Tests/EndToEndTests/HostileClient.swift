import CLinux
import CompositorProtocol
import Foundation
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing
import WireFormat

/// A client of the compositor that can send arbitrary bytes and descriptors, to simulate a faulty or malicious program.
final class HostileClient {
    /// The two ring buffers in shared memory between a client and the compositor, and the event that announces frames.
    /// A test can write invalid content to the ring buffers.
    final class Rings {
        /// The ring buffer in which the client sends frames.
        let frames: MemoryFile
        /// The ring buffer in which the compositor releases frames.
        let releases: MemoryFile
        /// The event that notifies the compositor of new frames.
        let frameEvent: EventDescriptor
        let frameWriter: SharedRingWriter
        /// The mapped memory of ``frames``.
        private let memory: Mapping

        init(size: Int = SharedRing.byteCount) throws(SystemCallError) {
            frames = try MemoryFile(name: "hostile-ring", size: size)
            releases = try MemoryFile(name: "hostile-ring", size: size)
            frameEvent = try EventDescriptor()
            frameWriter = try SharedRingWriter(frames)
            memory = try frames.map(writable: true)
        }

        /// The three file descriptors that the message `openSession` requires, in the required order.
        var descriptors: [Int32] { [frames.descriptor.raw, releases.descriptor.raw, frameEvent.raw] }

        /// Writes `count` into the header of the frame ring as the number of frames sent so far. The number may be
        /// false.
        func writeFrameCount(_ count: UInt64) {
            memory.base.storeBytes(of: count, as: UInt64.self)
            frameEvent.signal()
        }

        /// Sends a frame. `slot` is the number of a shared memory buffer and `format` the number of a frame format; the
        /// client announces both numbers with messages.
        func sendFrame(slot: UInt32, format: UInt32) {
            frameWriter.push(FrameEntry(frame: 1, slot: slot, format: format, presentationTime: 0, hostTime: 0).entry)
            frameEvent.signal()
        }
    }

    private let socket: MessageSocket

    init(directory: RuntimeDirectory) throws {
        socket = try LocalSocket.connect(
            path: directory.path + "/swiftplay/compositor", until: Deadline.after(.seconds(10)))
    }

    /// Sends a message to the compositor. Waits up to 5 s while the socket's buffer is full. Discards the message if
    /// the connection is closed.
    func send(bytes: [UInt8], descriptors: [Int32] = []) {
        _ = Deadline.poll(for: .seconds(5)) { () -> Void? in
            do throws(SystemCallError) {
                try socket.send(bytes, descriptors: descriptors)
                return ()
            } catch {
                if error.number == EBADF || error.number == EFAULT {
                    Issue.record("the test sends an invalid descriptor or address: \(error)")
                }
                return error.number == EAGAIN ? nil : ()
            }
        }
    }

    func send(_ message: ClientMessage, descriptors: [Int32] = []) {
        send(bytes: message.encoded, descriptors: descriptors)
    }

    /// Sends a message to the compositor; discards the message if the socket's buffer is full.
    func sendIfThereIsRoom(_ message: ClientMessage) { try? socket.send(message.encoded) }

    /// Sends `hello`, the first message of the protocol.
    func sendHello() {
        send(.hello(newest: ProtocolVersion.newest, oldest: ProtocolVersion.oldest, program: "hostile"))
    }

    /// Sends `hello`, opens a session with the number 1 and returns the ring buffers of the session.
    func openSession() throws -> Rings {
        let rings = try Rings()
        sendHello()
        send(.openSession(session: 1, surface: .headless), descriptors: rings.descriptors)
        try wait(for: .sessionOpened(session: 1))
        return rings
    }

    /// Opens a session with the number 1 and a Picture-in-Picture window, which shows a picture of `format` with all
    /// bytes 0.
    ///
    /// - Parameter display: the name of the X display; nil for `$DISPLAY`.
    /// - Returns: the ring buffers of the session.
    func openWindow(of format: FrameFormat, on display: String? = nil) throws -> Rings {
        let rings = try Rings(),
            memory = try MemoryFile(name: "hostile", size: format.layout.requiredSize + FrameLayout.overreadPadding)
        let environment = ProcessInfo.processInfo.environment
        let surface = ClientMessage.Surface.x11(
            display: display ?? environment["DISPLAY"] ?? "", authority: environment["XAUTHORITY"] ?? "")
        sendHello()
        send(.openSession(session: 1, surface: surface), descriptors: rings.descriptors)
        try wait(for: .sessionOpened(session: 1))
        send(.addSlot(session: 1, slot: 0), descriptors: [memory.descriptor.raw])
        send(.format(session: 1, number: 0, format: format))
        send(.requestStart(session: 1))
        try wait(for: .granted(session: 1))
        rings.sendFrame(slot: 0, format: 0)
        send(.start(session: 1))
        try wait(for: .shown(session: 1, frame: 1), within: .seconds(20))
        return rings
    }

    /// Returns the format of a square grayscale picture with a side length of `edge` pixels.
    static func grayFormat(_ edge: Int) throws -> FrameFormat {
        guard let pixelFormat = PixelFormat(name: "gray"),
            let layout = FrameLayout(aligned: pixelFormat, width: edge, height: edge)
        else {
            throw TestFailure("cannot create the frame layout")
        }
        return FrameFormat(layout: layout, attributes: PictureAttributes())
    }

    /// Waits until the compositor sends `message`. Discards all earlier messages.
    func wait(for message: ServerMessage, within timeout: Duration = .seconds(5)) throws {
        let isReceived = try Deadline.poll(for: timeout) { () throws -> Bool? in
            while case .message(let incoming) = socket.receive() {
                if try ServerMessage(decoding: incoming.bytes) == message { return true }
            }
            return nil
        }
        guard isReceived == true else { throw TestFailure("the compositor did not send \(message)") }
    }

    /// Waits until the compositor sends an audio report for which `condition` returns true. Discards all earlier
    /// messages.
    ///
    /// - Returns: the sequence number of the report.
    func sequenceNumberOfReport(where condition: (AudioReport) -> Bool) throws -> UInt64 {
        let sequenceNumber = try Deadline.poll(for: .seconds(5)) { () throws -> UInt64? in
            while case .message(let incoming) = socket.receive() {
                if case .audio(_, let sequence, let report) = try ServerMessage(decoding: incoming.bytes),
                    condition(report)
                {
                    return sequence
                }
            }
            return nil
        }
        guard let sequenceNumber else { throw TestFailure("the compositor did not send the report") }
        return sequenceNumber
    }

    /// Waits until the compositor closes the connection.
    ///
    /// - Returns: false if the connection is still open after `timeout`.
    func isDisconnected(within timeout: Duration = .seconds(5)) -> Bool {
        Deadline.poll(for: timeout) { () -> Bool? in
            while true {
                switch socket.receive() {
                case .closed: return true
                case .nothing: return nil
                case .message: break
                }
            }
        } ?? false
    }

    /// Creates a memory file (`memfd`) without seals.
    static func unsealedMemory(size: Int) throws -> FileDescriptor {
        let file = FileDescriptor(
            owning: try systemCall("memfd_create") { clinux_memfd_create("hostile", clinux_mfd_flags()) })
        try systemCall("ftruncate") { ftruncate(file.raw, size) }
        return file
    }

    /// Returns a valid shape of an overlay (a picture that is drawn over the video) with one rectangle.
    static func overlayShape() throws -> OverlayShape {
        guard
            let shape = OverlayShape(
                size: PixelSize(width: 100, height: 100), rects: [PixelRect(x: 10, y: 10, width: 80, height: 80)])
        else {
            throw TestFailure("cannot create the overlay shape")
        }
        return shape
    }

    /// Returns the format of a `yuv420p` picture of 640x360 pixels, which has three planes.
    static func yuvFormat() throws -> FrameFormat {
        let planes = [(0, 640), (230_400, 320), (288_000, 320)].map { FrameLayout.Plane(offset: $0.0, stride: $0.1) }
        guard let pixelFormat = PixelFormat(name: "yuv420p"),
            let layout = FrameLayout(pixelFormat: pixelFormat, width: 640, height: 360, planes: planes)
        else { throw TestFailure("cannot create the frame layout") }
        return FrameFormat(layout: layout, attributes: PictureAttributes())
    }
}
