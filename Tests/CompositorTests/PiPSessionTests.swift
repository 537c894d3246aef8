import CompositorProtocol
import SharedFrames
import SystemCalls
import TestSupport
import Testing
import VideoOutput
import WireFormat

import class VideoOutput.XConnection

@testable import Compositor

/// With a real X server and real rings; the clock is the test's.
@Suite struct PiPSessionTests {
    private let session: PiPSession
    private let surface: X11Surface
    private let frames: DescriptorRingWriter
    private let releases: SharedDescriptor

    init() throws { try self.init(connection: XConnection()) }

    private init(connection: XConnection) throws {
        let ring = try MemoryFile(name: "frames", size: DescriptorRing.byteCount)
        releases = SharedDescriptor(
            try MemoryFile(name: "releases", size: DescriptorRing.byteCount).descriptor.duplicate())
        frames = try DescriptorRingWriter(ring)
        let event = try EventDescriptor()
        surface = X11Surface(connection)
        session = try PiPSession(
            number: 1, surface: surface,
            descriptors: [
                SharedDescriptor(ring.descriptor.duplicate()), releases,
                SharedDescriptor(FileDescriptor(duplicating: event.raw)),
            ])
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: gray, width: 64, height: 36, planes: [.init(offset: 0, stride: 64)]))
        try session.set(format: 1, FrameFormat(layout: layout, attributes: PictureAttributes()))
        for slot in 1...9 as ClosedRange<UInt32> {
            try session.add(
                slot: slot, descriptor: SharedDescriptor(MemoryFile(name: "frame", size: 4096).descriptor.duplicate()))
        }
    }

    private func push(_ number: UInt32) {
        frames.push(FrameEntry(frame: UInt64(number), slot: number, format: 1, presentationTime: 0, hostTime: 0).entry)
    }

    /// Waits until the server has read what was drawn last.
    private func settle() throws {
        let deadline = MonotonicTime.now + 10_000_000_000
        while let window = surface.window, !window.isReady {
            guard MonotonicTime.now < deadline else { throw XError("the server does not read the picture") }
            _ = try Poll.waitReadable(window.connection.descriptor, until: MonotonicTime.now + 10_000_000)
        }
    }

    /// Shows the next frame of the backlog when it is due.
    private func showNext() throws {
        try settle()
        _ = try session.showNext(now: try #require(session.heldUntil))
    }

    private func send(_ numbers: ClosedRange<UInt32>) throws {
        for number in numbers { push(number) }
        try settle()
        _ = try session.takeFrames(upTo: session.ring.written)
    }

    /// Frames that were given back, and those of them that were seen.
    private func released() throws -> (given: [UInt64], seen: [UInt64]) {
        let file = try MemoryFile(
            received: FileDescriptor(duplicating: releases.raw), minimumSize: DescriptorRing.byteCount,
            maximumSize: 1 << 20)
        var reader = try DescriptorRingReader(file), all: [ReleaseEntry] = []
        while let entry = try reader.pop() { all.append(ReleaseEntry(entry)) }
        return (all.map(\.frame), all.filter { $0.shownAt != 0 }.map(\.frame))
    }

    @Test(
        "it opens over the layer with nothing older than what was seen there: what comes while it is made is drawn in its stead"
    )
    func opensWithTheNewest() throws {
        let place = PixelRect(x: 20, y: 20, width: 640, height: 360)
        try send(1...1)
        session.start(FloatingOpening(origin: place))
        push(2)
        #expect(try !session.openNext(whateverCame: false).isDone, "the second came while the window was made")
        try send(3...3)
        #expect(session.currentFrame == nil, "nothing is seen yet")
        let (messages, isDone) = try session.openNext(whateverCame: false)
        #expect(isDone && messages.isEmpty && session.currentFrame == 3)
        #expect(try released() == ([2, 1], []))
    }

    @Test("a program that sends frames faster than they are drawn is still shown")
    func opensWhateverComes() throws {
        try send(1...1)
        session.start(FloatingOpening(origin: PixelRect(x: 20, y: 20, width: 640, height: 360)))
        push(2)
        #expect(try session.openNext(whateverCame: true).isDone && session.currentFrame == 1)
    }

    @Test func lateFramesAreShownBrieflyAndOldestExcessIsDropped() throws {
        try send(1...1)
        session.start(FloatingOpening())
        #expect(try session.openNext(whateverCame: false).isDone)
        #expect(session.heldUntil == nil)
        try send(2...8)
        // 2 is passed over, 3 is on screen, and 4 to 8 wait.
        for _ in 4...8 {
            let due = try #require(session.heldUntil)
            _ = try session.showNext(now: due - 1)
            #expect(session.heldUntil == due, "not before its time")
            try showNext()
        }
        #expect(session.heldUntil == nil)
        // One that comes in time waits for nothing.
        try send(9...9)
        #expect(session.heldUntil == nil)
        #expect(try released() == ([2, 1, 3, 4, 5, 6, 7, 8], [1, 3, 4, 5, 6, 7, 8]))
    }

    @Test(
        "on its way back it shows nothing that the layer has shown in full view since; what came before that it shows")
    func returnsWithTheNewest() throws {
        try send(1...1)
        session.start(FloatingOpening())
        #expect(try session.openNext(whateverCame: false).isDone)
        try send(2...3)
        #expect(session.currentFrame == 2)
        #expect(session.beginReturn(to: PixelRect(x: 0, y: 0, width: 320, height: 180)) != nil)
        #expect(surface.isLayerInView)
        try send(4...6)
        try showNext()
        #expect(session.currentFrame == 3, "it was seen nowhere else")
        try showNext()
        #expect(session.currentFrame == 6 && session.heldUntil == nil)
        #expect(try released().given == [1, 2, 4, 5, 3])
    }

    @Test("a returned picture stays until its late frames are shown or the deadline passes")
    func landsWithNothingLeft() throws {
        try send(1...1)
        session.start(FloatingOpening())
        #expect(try session.openNext(whateverCame: false).isDone)
        try send(2...4)
        let now = MonotonicTime.now
        #expect(!session.isDone(now: now))
        session.land(now: now)
        #expect(session.hasLanded && !session.isDone(now: now))
        for _ in 3...4 { try showNext() }
        #expect(session.isDone(now: now))
        try send(5...7)
        #expect(!session.isDone(now: now) && session.isDone(now: now + 50_000_000))
        session.stop()
        #expect(!session.hasLanded && session.nextTick == nil)
    }

    @Test("a stopped X server does not block: frames are queued or dropped, and shown when it continues")
    func aStoppedServer() throws {
        let server = try PrivateDisplay()
        let other = try PiPSessionTests(connection: XConnection(display: server.name))
        let session = other.session
        try other.send(1...1)
        session.start(FloatingOpening())
        #expect(try session.openNext(whateverCame: false).isDone)
        try other.settle()
        server.stop()
        let rescue = try server.continueAfter(.seconds(20))
        for number in 2...8 as ClosedRange<UInt32> {
            other.push(number)
            _ = try session.takeFrames(upTo: session.ring.written)
            session.redraw()
            _ = try session.drawPending(now: MonotonicTime.now)
            _ = try session.showNext(now: MonotonicTime.now)
        }
        #expect(!rescue.isOver, "drawing waited for the server")
        #expect(session.currentFrame == 2 && !other.surface.isReady)
        // No deadline that is over already: the loop would not sleep.
        #expect(try #require(session.nextTick) > MonotonicTime.now - 100_000_000)
        rescue.end()
        while session.heldUntil != nil { try other.showNext() }
        #expect(session.currentFrame == 8)
    }
}
