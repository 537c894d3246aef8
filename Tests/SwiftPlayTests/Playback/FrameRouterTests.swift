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
    private let remote: RemotePicture
    private let peer: MessageSocket

    init() throws {
        let (ours, theirs) = try MessageSocket.pair()
        // The test never answers its frames.
        remote = try RemotePicture(session: 1, socket: ours, version: ProtocolVersion.current, answerPatience: .max)
        peer = theirs
        router.setOutput(output)
    }

    /// Shows a frame immediately, after all earlier requests are complete.
    private func show(_ id: UInt64) throws {
        let frame = try frames.frame(id)
        router.schedule(frame, due: nil)
        settle()
        router.schedule(frame, due: 0)
        settle()
    }

    private func settle() { #expect(router.waitUntilIdle(until: Deadline.after(.seconds(30)))) }

    /// Returns the output's calls since the last call of this method, once the presenter is idle.
    private func calls() -> [TestOutput.Call] {
        settle()
        return output.takeCalls()
    }

    /// Returns the numbers of the frames in the ring, from its start.
    private func pushed() throws -> [UInt64] {
        let ring = try #require(remote.descriptors.first)
        let file = try MemoryFile(
            received: try FileDescriptor(duplicating: ring), minimumSize: DescriptorRing.byteCount,
            maximumSize: DescriptorRing.byteCount)
        var reader = try DescriptorRingReader(file)
        var ids: [UInt64] = []
        while let entry = try reader.pop() { ids.append(FrameEntry(entry).frame) }
        return ids
    }

    /// An overlay source with one box in the lower right corner of every picture.
    private final class Corner: OverlaySource {
        func overlay(at time: Int64, in place: OverlayPlace) -> OverlayPicture? {
            let rect = PixelRect(x: place.size.width - 1, y: place.size.height - 1, width: 1, height: 1)
            return OverlayPicture(
                size: place.size, boxes: [OverlayPicture.Box(rect: rect, pixels: [1, 2, 3, 4])].compactMap(\.self))
        }
    }

    /// Returns the sizes of the overlays sent since the last call of this method.
    private func overlays() throws -> [PixelSize] {
        var sizes: [PixelSize] = []
        while case .message(let incoming) = peer.receive() {
            if case .overlay(_, let shape) = try ClientMessage(decoding: incoming.bytes) { sizes.append(shape.size) }
        }
        return sizes
    }

    @Test func overlayIsSentBeforeTheWindowOpens() throws {
        router.setOverlays(Corner())
        try show(1)
        #expect(router.beginHandover(to: remote, from: output.size) && router.destination == .both)
        #expect(try overlays() == [output.size])
        settle()
        router.setRemoteSize(PixelSize(width: 8, height: 8))
        settle()
        #expect(try overlays() == [PixelSize(width: 8, height: 8)])
    }

    @Test func gravityAppliesToLaterOutputs() {
        router.gravity = .resizeAspectFill
        #expect(output.gravity == .resizeAspectFill)
        let next = TestOutput()
        router.setOutput(next)
        #expect(next.gravity == .resizeAspectFill && router.gravity == .resizeAspectFill)
    }

    @Test func framesAreShownAtTheLayer() throws {
        try show(1)
        try show(2)
        #expect(calls() == [.prepare(1), .present(1), .prepare(2), .present(2)])
        #expect(router.current?.id == 2 && router.destination == .layer)
    }

    @Test func handoffFeedsBothPlacesUntilTheNewOneHasShownAFrame() throws {
        try show(1)
        #expect(router.beginHandover(to: remote) && router.destination == .both)
        try show(2)
        #expect(try pushed() == [1, 2], "the visible frame is sent first")
        #expect(calls() == [.prepare(1), .present(1), .prepare(2), .present(2)], "the layer receives every frame")
        router.completeHandover()
        #expect(router.destination == .remote)
        try show(3)
        #expect(try pushed() == [1, 2, 3])
        #expect(calls() == [.placeholder("Playing in Picture-in-Picture")])
    }

    @Test("while both places receive frames, the covering place never shows an older frame than the covered one")
    func coveringPlaceReceivesFramesFirst() throws {
        let ring = try SharedDescriptor(FileDescriptor(duplicating: #require(remote.descriptors.first)))
        let before = Mutex<[UInt64]>([])
        output.onPresent {
            let file = try? MemoryFile(
                received: FileDescriptor(duplicating: ring.raw), minimumSize: DescriptorRing.byteCount,
                maximumSize: DescriptorRing.byteCount)
            guard let file, let reader = try? DescriptorRingReader(file) else { return }
            before.withLock { $0.append(reader.written) }
        }
        try show(1)
        _ = router.beginHandover(to: remote)
        try show(2)
        #expect(before.withLock { $0 } == [0, 2], "the window opens over the layer: the window comes first")
        router.completeHandover()
        try show(3)
        let place = PixelRect(x: 0, y: 0, width: 16, height: 16)
        #expect(router.beginReturn(from: remote, to: place) {} != nil && router.destination == .both)
        try show(4)
        #expect(before.withLock { $0 } == [0, 2, 3, 3], "the window uncovers the layer: the layer comes first")
    }

    @Test func returnShowsTheCurrentFrameAtTheLayerFirst() throws {
        try show(1)
        _ = router.beginHandover(to: remote)
        router.completeHandover()
        try show(2)
        let third = try frames.frame(3)
        router.schedule(third, due: nil)
        _ = calls()
        router.returnToLayer(from: remote) {}
        settle()
        #expect(router.destination == .layer)
        #expect(calls() == [.prepare(2), .present(2), .prepare(3)])
        router.schedule(third, due: 0)
        #expect(calls() == [.present(3)])
        #expect(try pushed() == [1, 2], "no more frames are sent")
    }

    @Test func abandonedHandoffDoesNotChangeTheLayer() throws {
        try show(1)
        _ = router.beginHandover(to: remote)
        _ = calls()
        router.returnToLayer(from: remote) {}
        router.completeHandover()
        #expect(router.destination == .layer && calls().isEmpty)
        try show(2)
        #expect(calls() == [.prepare(2), .present(2)])
    }

    @Test func handoffWithoutAFrameFails() {
        #expect(!router.beginHandover(to: remote) && router.destination == .layer)
    }

    @Test func handoffToAClosedConnectionFails() throws {
        try show(1)
        remote.close()
        #expect(!router.beginHandover(to: remote) && router.destination == .layer)
    }

    @Test func returnFromAnotherWindowHasNoEffect() throws {
        let (ours, _) = try MessageSocket.pair()
        let other = try RemotePicture(session: 2, socket: ours, version: ProtocolVersion.current)
        try show(1)
        _ = router.beginHandover(to: remote)
        router.completeHandover()
        router.returnToLayer(from: other) {}
        #expect(router.destination == .remote)
    }

    @Test func laterOutputShowsTheCurrentFrame() throws {
        try show(1)
        let second = try frames.frame(2)
        router.schedule(second, due: nil)
        let late = TestOutput()
        router.setOutput(late)
        settle()
        #expect(late.takeCalls() == [.prepare(1), .present(1), .prepare(2)])
        router.schedule(second, due: 0)
        settle()
        #expect(late.takeCalls() == [.present(2)])
        _ = router.beginHandover(to: remote)
        router.completeHandover()
        let later = TestOutput()
        router.setOutput(later)
        settle()
        #expect(later.takeCalls() == [.placeholder("Playing in Picture-in-Picture")])
    }

    @Test func redrawShowsTheFrameOrThePlaceholderAgain() throws {
        router.redraw()
        #expect(calls().isEmpty)
        try show(1)
        router.schedule(try frames.frame(2), due: nil)
        _ = calls()
        router.redraw()
        #expect(calls() == [.prepare(1), .present(1), .prepare(2)] && router.repeats == 1)
        _ = router.beginHandover(to: remote)
        router.completeHandover()
        router.setPlaceholder(nil)
        _ = calls()
        router.redraw()
        #expect(calls() == [.placeholder(nil)] && router.repeats == 1)
    }

    @Test("while the compositor does not answer, the layer shows the frames")
    func layerShowsFramesWhileCompositorIsStalled() throws {
        let changes = Monitor<[FrameAnswerWatch.Change]>([])
        let (ours, theirs) = try MessageSocket.pair()
        let remote = try RemotePicture(
            session: 3, socket: ours, version: ProtocolVersion.current, answerPatience: 0,
            onChange: { change in changes.update { $0.append(change) } })
        try show(1)
        #expect(router.beginHandover(to: remote))
        router.completeHandover()
        _ = calls()
        try show(2)
        #expect(calls() == [.prepare(2), .present(2)] && router.destination == .remote)
        try show(3)
        #expect(calls() == [.prepare(3), .present(3)] && changes.withLock { $0 } == [.stalled])
        router.redraw()
        #expect(calls() == [.prepare(3), .present(3)])
        // The compositor releases the frames that it holds.
        let back = try MemoryFile(
            received: FileDescriptor(duplicating: remote.descriptors[1]), minimumSize: DescriptorRing.byteCount,
            maximumSize: DescriptorRing.byteCount)
        let releases = try DescriptorRingWriter(back)
        releases.push(ReleaseEntry(frame: 1, shownAt: 0).entry)
        let isBack = changes.wait(until: Deadline.after(.seconds(30))) { $0 == [.stalled, .answered] ? true : nil }
        #expect(isBack == true && calls() == [.placeholder("Playing in Picture-in-Picture")])
        withExtendedLifetime(theirs) {}
    }

    @Test("a stuck display blocks no call, and shows the newest frame when it continues")
    func stuckDisplayBlocksNoCall() throws {
        let gate = Monitor(false)
        defer { gate.update { $0 = true } }
        output.onPresent { _ = gate.wait(until: Deadline.after(.seconds(30))) { $0 ? true : nil } }
        router.setListener {}
        router.schedule(try frames.frame(1), due: 0)
        #expect(Deadline.poll(for: .seconds(30)) { router.current?.id == 1 ? true : nil } == true)
        for id in 2...5 as ClosedRange<UInt64> { router.show(try frames.frame(id), due: 0) }
        router.redraw()
        router.overlayMayHaveChanged()
        #expect(router.current?.id == 5 && !router.waitUntilIdle(until: MonotonicTime.now))
        // Another output does not wait for the stuck one.
        let other = TestOutput()
        router.setOutput(other)
        settle()
        #expect(other.takeCalls() == [.prepare(5), .present(5)])
        let reports = router.takeReports().frames
        #expect(
            reports.map(\.frame.id) == [2, 3, 4, 5] && reports.map { $0.shown == nil } == [true, true, true, false])
    }

    @Test("the presenter shows a frame at its time, unless the frame is held or withdrawn before")
    func presenterShowsFramesAtTheirTimes() throws {
        let far = MonotonicTime.now + 3_600_000_000_000
        let frame = try frames.frame(1)
        router.setListener {}
        router.schedule(frame, due: far)
        #expect(calls() == [.prepare(1)] && router.current == nil)
        #expect(router.hold() == nil)
        router.withdraw(1)
        let due = MonotonicTime.now + 20_000_000
        router.schedule(try frames.frame(2), due: due)
        #expect(Deadline.poll(for: .seconds(30)) { router.current != nil ? true : nil } == true)
        #expect(MonotonicTime.now >= due)
        #expect(calls() == [.prepare(2), .present(2)])
        let reports = router.takeReports().frames
        #expect(reports.count == 1 && reports.first?.due == due && reports.first?.isScheduled == true)
    }

    @Test func clearedFramesAreReleased() throws {
        try show(1)
        router.schedule(try frames.frame(2), due: nil)
        router.clear()
        #expect(router.current == nil)
        let isBack = Deadline.poll(for: .seconds(30)) {
            frames.pool.usage.free == frames.pool.usage.frames ? true : nil
        }
        #expect(isBack == true, "the presenter must not retain a frame")
        #expect(!calls().contains(.present(2)))
    }
}
