import CompositorProtocol
import SharedFrames
import SystemCalls
import TestSupport
import Testing
import VideoOutput
import WireFormat

import class VideoOutput.XConnection

@testable import Compositor

/// Tests a Picture-in-Picture session with a real X server and real ring buffers. The tests supply the time.
@Suite struct PiPSessionTests {
    private let session: PiPSession
    private let surface: X11Surface
    /// The ring in which the test sends frames to the session.
    private let frameRing: SharedRingWriter
    /// The memory of the ring in which the session reports the frames that it no longer uses.
    private let releaseRingMemory: SharedDescriptor

    init() throws { try self.init(connection: XConnection()) }

    private init(connection: XConnection) throws {
        let ring = try MemoryFile(name: "frames", size: SharedRing.byteCount)
        releaseRingMemory = SharedDescriptor(
            try MemoryFile(name: "releases", size: SharedRing.byteCount).descriptor.duplicate())
        frameRing = try SharedRingWriter(ring)
        let event = try EventDescriptor()
        surface = X11Surface(connection)
        session = try PiPSession(
            number: 1, surface: surface,
            descriptors: [
                SharedDescriptor(ring.descriptor.duplicate()), releaseRingMemory,
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

    /// Writes the frame `number` into the frame ring; the session has not read it yet.
    private func writeFrame(_ number: UInt32) {
        let frame = FrameEntry(frame: UInt64(number), slot: number, format: 1, presentationTime: 0, hostTime: 0)
        frameRing.push(frame.entry)
    }

    /// Waits until the X server has read the last drawn picture.
    private func waitUntilServerHasReadThePicture() throws {
        let deadline = MonotonicTime.now + 10_000_000_000
        while let window = surface.window, !window.isReady {
            guard MonotonicTime.now < deadline else { throw XError("the server does not read the picture") }
            _ = try Poll.waitReadable(window.connection.descriptor, until: MonotonicTime.now + 10_000_000)
        }
    }

    /// Shows the session's next late frame at the time at which it is due.
    private func showNextFrameWhenDue() throws {
        try waitUntilServerHasReadThePicture()
        _ = try session.showNextLateFrame(now: try #require(session.nextDueTime))
    }

    /// Sends frames to the session, which reads them at once.
    private func sendFrames(_ numbers: ClosedRange<UInt32>) throws {
        for number in numbers { writeFrame(number) }
        try waitUntilServerHasReadThePicture()
        _ = try session.readFrames(upTo: session.ring.writtenCount)
    }

    /// Returns the numbers of the frames that the session has reported as no longer used: `all` such frames, and those
    /// that were `shown`.
    private func releasedFrameNumbers() throws -> (all: [UInt64], shown: [UInt64]) {
        let file = try MemoryFile(
            received: FileDescriptor(duplicating: releaseRingMemory.raw), minimumSize: SharedRing.byteCount,
            maximumSize: 1 << 20)
        var reader = try SharedRingReader(file), releasedFrames: [ReleasedFrame] = []
        while let entry = try reader.pop() { releasedFrames.append(ReleasedFrame(entry)) }
        return (releasedFrames.map(\.frame), releasedFrames.filter { $0.shownAt != 0 }.map(\.frame))
    }

    @Test(
        "a window opens over the layer with the newest frame, also if that frame arrives while the window opens"
    )
    func windowOpensWithTheNewestFrame() throws {
        let layerRect = PixelRect(x: 20, y: 20, width: 640, height: 360)
        try sendFrames(1...1)
        session.start(SurfaceOpenRequest(startRect: layerRect))
        writeFrame(2)
        #expect(
            try !session.openWithNextFrame(acceptsOutdatedFrame: false).isDone,
            "the second frame arrived while the window opened")
        try sendFrames(3...3)
        #expect(session.currentFrameNumber == nil, "no frame is visible yet")
        let (messages, isDone) = try session.openWithNextFrame(acceptsOutdatedFrame: false)
        #expect(isDone && messages.isEmpty && session.currentFrameNumber == 3)
        #expect(try releasedFrameNumbers() == ([2, 1], []))
    }

    @Test("a program that sends frames faster than they are drawn is still shown")
    func windowOpensAlthoughNewerFramesKeepArriving() throws {
        try sendFrames(1...1)
        session.start(SurfaceOpenRequest(startRect: PixelRect(x: 20, y: 20, width: 640, height: 360)))
        writeFrame(2)
        #expect(try session.openWithNextFrame(acceptsOutdatedFrame: true).isDone && session.currentFrameNumber == 1)
    }

    @Test func lateFramesAreShownBrieflyAndOldestExcessIsDropped() throws {
        try sendFrames(1...1)
        session.start(SurfaceOpenRequest())
        #expect(try session.openWithNextFrame(acceptsOutdatedFrame: false).isDone)
        #expect(session.nextDueTime == nil)
        try sendFrames(2...8)
        // Frame 2 was dropped, frame 3 is on screen, and frames 4 to 8 wait in the queue.
        for _ in 4...8 {
            let dueTime = try #require(session.nextDueTime)
            _ = try session.showNextLateFrame(now: dueTime - 1)
            #expect(session.nextDueTime == dueTime, "a frame was shown before its time")
            try showNextFrameWhenDue()
        }
        #expect(session.nextDueTime == nil)
        // A frame that arrives in time does not wait in the queue.
        try sendFrames(9...9)
        #expect(session.nextDueTime == nil)
        #expect(try releasedFrameNumbers() == ([2, 1, 3, 4, 5, 6, 7, 8], [1, 3, 4, 5, 6, 7, 8]))
    }

    @Test(
        "a returning window skips frames that the visible layer has shown, and shows the frames before them",
        .measuresTime)
    func returningWindowSkipsFramesThatTheLayerHasShown() throws {
        try sendFrames(1...1)
        session.start(SurfaceOpenRequest())
        #expect(try session.openWithNextFrame(acceptsOutdatedFrame: false).isDone)
        try sendFrames(2...3)
        #expect(session.currentFrameNumber == 2)
        #expect(session.beginReturnAnimation(to: PixelRect(x: 0, y: 0, width: 320, height: 180)) != nil)
        #expect(surface.isProgramLayerVisible)
        try sendFrames(4...6)
        try showNextFrameWhenDue()
        #expect(session.currentFrameNumber == 3, "frame 3 was shown nowhere else")
        try showNextFrameWhenDue()
        #expect(session.currentFrameNumber == 6 && session.nextDueTime == nil)
        #expect(try releasedFrameNumbers().all == [1, 2, 4, 5, 3])
    }

    @Test("a returned picture stays until its late frames are shown or the deadline passes")
    func returnedWindowClosesAfterItsLateFramesOrTheDeadline() throws {
        try sendFrames(1...1)
        session.start(SurfaceOpenRequest())
        #expect(try session.openWithNextFrame(acceptsOutdatedFrame: false).isDone)
        try sendFrames(2...4)
        let now = MonotonicTime.now
        #expect(!session.canClose(now: now))
        session.markReturnAnimationFinished(now: now)
        #expect(session.isReturnAnimationFinished && !session.canClose(now: now))
        for _ in 3...4 { try showNextFrameWhenDue() }
        #expect(session.canClose(now: now))
        try sendFrames(5...7)
        #expect(!session.canClose(now: now) && session.canClose(now: now + 50_000_000))
        session.stop()
        #expect(!session.isReturnAnimationFinished && session.nextTick == nil)
    }

    @Test("a stopped X server does not block: frames are queued or dropped, and shown when it continues")
    func stoppedServerDoesNotBlockDrawing() throws {
        let server = try PrivateXServer()
        let serverTests = try PiPSessionTests(connection: XConnection(display: server.name))
        let session = serverTests.session
        try serverTests.sendFrames(1...1)
        session.start(SurfaceOpenRequest())
        #expect(try session.openWithNextFrame(acceptsOutdatedFrame: false).isDone)
        try serverTests.waitUntilServerHasReadThePicture()
        server.suspend()
        let resumption = try server.resumeAfter(.seconds(20))
        for number in 2...8 as ClosedRange<UInt32> {
            serverTests.writeFrame(number)
            _ = try session.readFrames(upTo: session.ring.writtenCount)
            session.redraw()
            _ = try session.redrawIfNeeded(now: MonotonicTime.now)
            _ = try session.showNextLateFrame(now: MonotonicTime.now)
        }
        #expect(!resumption.hasExpired, "drawing waited for the server")
        #expect(session.currentFrameNumber == 2 && !serverTests.surface.isReady)
        // A deadline in the past would keep the drawing thread's loop from sleeping.
        #expect(try #require(session.nextTick) > MonotonicTime.now - 100_000_000)
        resumption.end()
        while session.nextDueTime != nil { try serverTests.showNextFrameWhenDue() }
        #expect(session.currentFrameNumber == 8)
    }
}
