import CompositorProtocol
import SharedFrames
import Synchronization
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import SwiftPlay

@Suite final class FrameRouterTests {
    private let router = FrameRouter()
    private let output = TestOutput()
    private let frames = TestFrames()
    /// The sink that sends frames to the floating window.
    private let frameSink: RemoteFrameSink
    /// The compositor's end of the socket connection.
    private let compositorSocket: MessageSocket

    init() throws {
        let (sinkSocket, peerSocket) = try MessageSocket.pair()
        // Unlike a compositor, the test does not release the frames it receives, so waiting must not time out.
        frameSink = try RemoteFrameSink(
            session: 1, socket: sinkSocket, version: ProtocolVersion.newest, stallTimeout: .max)
        compositorSocket = peerSocket
        router.setOutput(output)
    }

    /// Shows a frame immediately, after all earlier requests are complete.
    private func show(_ id: UInt64) throws {
        let frame = try frames.frame(id)
        router.schedule(frame, due: nil)
        waitUntilPresenterIsIdle()
        router.schedule(frame, due: 0)
        waitUntilPresenterIsIdle()
    }

    /// Waits until the presenter thread is idle.
    private func waitUntilPresenterIsIdle() { #expect(router.waitUntilIdle(until: Deadline.after(.seconds(30)))) }

    /// Waits until the presenter is idle. Returns the output's method calls since this method last returned.
    private func takeCalls() -> [TestOutput.MethodCall] {
        waitUntilPresenterIsIdle()
        return output.takeCalls()
    }

    /// Returns the numbers of all frames that were sent to the floating window.
    private func sentFrameNumbers() throws -> [UInt64] {
        let ring = try #require(frameSink.descriptors.first)
        let file = try MemoryFile(
            received: try FileDescriptor(duplicating: ring), minimumSize: SharedRing.byteCount,
            maximumSize: SharedRing.byteCount)
        var reader = try SharedRingReader(file)
        var ids: [UInt64] = []
        while let entry = try reader.pop() { ids.append(FrameEntry(entry).frame) }
        return ids
    }

    /// An overlay source with one box in the lower right corner of every picture.
    private final class CornerOverlay: OverlaySource {
        func overlay(at time: Int64, in geometry: OverlayGeometry) -> OverlayPicture? {
            let size = geometry.windowSize, rect = PixelRect(x: size.width - 1, y: size.height - 1, width: 1, height: 1)
            return OverlayPicture(
                size: size, boxes: [OverlayPicture.Box(rect: rect, pixels: [1, 2, 3, 4])].compactMap(\.self))
        }
    }

    /// Returns the sizes of the overlays that were sent to the compositor since this method last returned.
    private func sentOverlaySizes() throws -> [PixelSize] {
        var sizes: [PixelSize] = []
        while case .message(let incoming) = compositorSocket.receive() {
            if case .overlay(_, let shape) = try ClientMessage(decoding: incoming.bytes) { sizes.append(shape.size) }
        }
        return sizes
    }

    @Test func overlayIsSentBeforeTheFloatingWindowOpens() throws {
        router.setOverlays(CornerOverlay())
        try show(1)
        #expect(router.beginHandover(to: frameSink, from: output.size) && router.destination == .both)
        #expect(try sentOverlaySizes() == [output.size])
        waitUntilPresenterIsIdle()
        router.setRemoteSize(PixelSize(width: 8, height: 8))
        waitUntilPresenterIsIdle()
        #expect(try sentOverlaySizes() == [PixelSize(width: 8, height: 8)])
    }

    @Test func videoGravityAppliesToOutputsAddedLater() {
        router.gravity = .resizeAspectFill
        #expect(output.gravity == .resizeAspectFill)
        let laterOutput = TestOutput()
        router.setOutput(laterOutput)
        #expect(laterOutput.gravity == .resizeAspectFill && router.gravity == .resizeAspectFill)
    }

    @Test func framesAreShownAtTheLayer() throws {
        try show(1)
        try show(2)
        #expect(takeCalls() == [.prepare(1), .present(1), .prepare(2), .present(2)])
        #expect(router.currentFrame?.id == 2 && router.destination == .layer)
    }

    @Test func layerReceivesFramesUntilTheHandoverToTheWindowCompletes() throws {
        try show(1)
        #expect(router.beginHandover(to: frameSink) && router.destination == .both)
        try show(2)
        #expect(try sentFrameNumbers() == [1, 2], "the visible frame is sent first")
        #expect(takeCalls() == [.prepare(1), .present(1), .prepare(2), .present(2)], "the layer receives every frame")
        router.completeHandover()
        #expect(router.destination == .remote)
        try show(3)
        #expect(try sentFrameNumbers() == [1, 2, 3])
        #expect(takeCalls() == [.placeholder("Playing in Picture-in-Picture")])
    }

    @Test("the window receives each frame first while it opens; the layer does while the picture returns")
    func windowComesFirstAtHandoverAndLayerAtReturn() throws {
        let ring = try SharedDescriptor(FileDescriptor(duplicating: #require(frameSink.descriptors.first)))
        let sentFrameCounts = Mutex<[UInt64]>([])
        output.onPresent {
            let file = try? MemoryFile(
                received: FileDescriptor(duplicating: ring.raw), minimumSize: SharedRing.byteCount,
                maximumSize: SharedRing.byteCount)
            guard let file, let reader = try? SharedRingReader(file) else { return }
            sentFrameCounts.withLock { $0.append(reader.writtenCount) }
        }
        try show(1)
        _ = router.beginHandover(to: frameSink)
        try show(2)
        #expect(sentFrameCounts.withLock { $0 } == [0, 2], "the window opens over the layer: the window comes first")
        router.completeHandover()
        try show(3)
        let layerRect = PixelRect(x: 0, y: 0, width: 16, height: 16)
        #expect(router.beginReturn(from: frameSink, to: layerRect) {} != nil && router.destination == .both)
        try show(4)
        #expect(sentFrameCounts.withLock { $0 } == [0, 2, 3, 3], "the layer will be uncovered: it comes first")
    }

    @Test func returnShowsTheCurrentFrameAtTheLayerFirst() throws {
        try show(1)
        _ = router.beginHandover(to: frameSink)
        router.completeHandover()
        try show(2)
        let thirdFrame = try frames.frame(3)
        router.schedule(thirdFrame, due: nil)
        _ = takeCalls()
        router.returnToLayer(from: frameSink) {}
        waitUntilPresenterIsIdle()
        #expect(router.destination == .layer)
        #expect(takeCalls() == [.prepare(2), .present(2), .prepare(3)])
        router.schedule(thirdFrame, due: 0)
        #expect(takeCalls() == [.present(3)])
        #expect(try sentFrameNumbers() == [1, 2], "no more frames are sent")
    }

    @Test func abandonedHandoverToTheWindowDoesNotChangeTheLayer() throws {
        try show(1)
        _ = router.beginHandover(to: frameSink)
        _ = takeCalls()
        router.returnToLayer(from: frameSink) {}
        router.completeHandover()
        #expect(router.destination == .layer && takeCalls().isEmpty)
        try show(2)
        #expect(takeCalls() == [.prepare(2), .present(2)])
    }

    @Test func handoverToTheWindowWithoutAFrameFails() {
        #expect(!router.beginHandover(to: frameSink) && router.destination == .layer)
    }

    @Test func handoverToAWindowWithAClosedConnectionFails() throws {
        try show(1)
        frameSink.close()
        #expect(!router.beginHandover(to: frameSink) && router.destination == .layer)
    }

    @Test func returnFromAnotherWindowHasNoEffect() throws {
        let (sinkSocket, _) = try MessageSocket.pair()
        let otherFrameSink = try RemoteFrameSink(session: 2, socket: sinkSocket, version: ProtocolVersion.newest)
        try show(1)
        _ = router.beginHandover(to: frameSink)
        router.completeHandover()
        router.returnToLayer(from: otherFrameSink) {}
        #expect(router.destination == .remote)
    }

    @Test func outputAddedLaterShowsTheCurrentFrame() throws {
        try show(1)
        let secondFrame = try frames.frame(2)
        router.schedule(secondFrame, due: nil)
        let secondOutput = TestOutput()
        router.setOutput(secondOutput)
        waitUntilPresenterIsIdle()
        #expect(secondOutput.takeCalls() == [.prepare(1), .present(1), .prepare(2)])
        router.schedule(secondFrame, due: 0)
        waitUntilPresenterIsIdle()
        #expect(secondOutput.takeCalls() == [.present(2)])
        _ = router.beginHandover(to: frameSink)
        router.completeHandover()
        let thirdOutput = TestOutput()
        router.setOutput(thirdOutput)
        waitUntilPresenterIsIdle()
        #expect(thirdOutput.takeCalls() == [.placeholder("Playing in Picture-in-Picture")])
    }

    @Test func redrawShowsTheFrameOrThePlaceholderAgain() throws {
        router.redraw()
        #expect(takeCalls().isEmpty)
        try show(1)
        router.schedule(try frames.frame(2), due: nil)
        _ = takeCalls()
        router.redraw()
        #expect(takeCalls() == [.prepare(1), .present(1), .prepare(2)] && router.repeatedFrameCount == 1)
        _ = router.beginHandover(to: frameSink)
        router.completeHandover()
        router.setPlaceholder(nil)
        _ = takeCalls()
        router.redraw()
        #expect(takeCalls() == [.placeholder(nil)] && router.repeatedFrameCount == 1)
    }

    @Test("while the compositor does not answer, the layer shows the frames")
    func layerShowsFramesWhileCompositorIsStalled() throws {
        let changes = Monitor<[FrameReleaseMonitor.Change]>([])
        let (sinkSocket, peerSocket) = try MessageSocket.pair()
        let frameSink = try RemoteFrameSink(
            session: 3, socket: sinkSocket, version: ProtocolVersion.newest, stallTimeout: 0,
            onChange: { change in changes.update { $0.append(change) } })
        try show(1)
        #expect(router.beginHandover(to: frameSink))
        router.completeHandover()
        _ = takeCalls()
        try show(2)
        #expect(takeCalls() == [.prepare(2), .present(2)] && router.destination == .remote)
        try show(3)
        #expect(takeCalls() == [.prepare(3), .present(3)] && changes.withLock { $0 } == [.stalled])
        router.redraw()
        #expect(takeCalls() == [.prepare(3), .present(3)])
        // The test, in the role of the compositor, releases frame 1.
        let releaseRingFile = try MemoryFile(
            received: FileDescriptor(duplicating: frameSink.descriptors[1]), minimumSize: SharedRing.byteCount,
            maximumSize: SharedRing.byteCount)
        try SharedRingWriter(releaseRingFile).push(ReleasedFrame(frame: 1, shownAt: 0).entry)
        let hasResumed = changes.wait(until: Deadline.after(.seconds(30))) { $0 == [.stalled, .resumed] ? true : nil }
        #expect(hasResumed == true && takeCalls() == [.placeholder("Playing in Picture-in-Picture")])
        withExtendedLifetime(peerSocket) {}
    }

    @Test("an output that hangs blocks no method call, and a new output shows the newest frame")
    func stuckOutputBlocksNoMethodCall() throws {
        let mayContinue = Monitor(false)
        defer { mayContinue.update { $0 = true } }
        output.onPresent { _ = mayContinue.wait(until: Deadline.after(.seconds(30))) { $0 ? true : nil } }
        router.setListener {}
        router.schedule(try frames.frame(1), due: 0)
        #expect(Deadline.poll(for: .seconds(30)) { router.currentFrame?.id == 1 ? true : nil } == true)
        for id in 2...5 as ClosedRange<UInt64> { router.show(try frames.frame(id), due: 0) }
        router.redraw()
        router.refreshOverlay()
        #expect(router.currentFrame?.id == 5 && !router.waitUntilIdle(until: MonotonicTime.now))
        // Another output does not wait for the stuck output.
        let otherOutput = TestOutput()
        router.setOutput(otherOutput)
        waitUntilPresenterIsIdle()
        #expect(otherOutput.takeCalls() == [.prepare(5), .present(5)])
        let reports = router.takeReports().frames
        #expect(
            reports.map(\.frame.id) == [2, 3, 4, 5] && reports.map { $0.shownTime == nil } == [true, true, true, false])
    }

    @Test("the presenter shows a frame at its time, unless the frame is unscheduled or withdrawn before")
    func presenterShowsFramesAtTheirTimes() throws {
        let distantTime = MonotonicTime.now + 3_600_000_000_000
        let frame = try frames.frame(1)
        router.setListener {}
        router.schedule(frame, due: distantTime)
        #expect(takeCalls() == [.prepare(1)] && router.currentFrame == nil)
        #expect(router.unschedule() == nil)
        router.withdraw(1)
        let dueTime = MonotonicTime.now + 20_000_000
        router.schedule(try frames.frame(2), due: dueTime)
        #expect(Deadline.poll(for: .seconds(30)) { router.currentFrame != nil ? true : nil } == true)
        #expect(MonotonicTime.now >= dueTime)
        #expect(takeCalls() == [.prepare(2), .present(2)])
        let reports = router.takeReports().frames
        #expect(reports.count == 1 && reports.first?.due == dueTime && reports.first?.isScheduled == true)
    }

    @Test func clearedFramesAreReleased() throws {
        try show(1)
        router.schedule(try frames.frame(2), due: nil)
        router.clear()
        #expect(router.currentFrame == nil)
        let isReleased = Deadline.poll(for: .seconds(30)) {
            frames.pool.usage.free == frames.pool.usage.frames ? true : nil
        }
        #expect(isReleased == true, "the presenter must not retain a frame")
        #expect(!takeCalls().contains(.present(2)))
    }
}
