import CompositorProtocol
import SharedFrames
import Synchronization
import SystemCalls
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
        remote = try RemotePicture(session: 1, socket: ours, version: ProtocolVersion.current)
        peer = theirs
        router.setOutput(output)
    }

    private func show(_ id: UInt64) throws {
        router.prepare(try frames.frame(id))
        _ = router.present(due: 0)
    }

    /// The frames in the ring, from its start.
    private func pushed() throws -> [UInt64] {
        let ring = try #require(remote.descriptors.first)
        let file = try MemoryFile(
            received: try FileDescriptor(duplicating: ring), minimumSize: DescriptorRing.byteCount, maximumSize: DescriptorRing.byteCount)
        var reader = try DescriptorRingReader(file)
        var ids: [UInt64] = []
        while let entry = try reader.pop() { ids.append(FrameEntry(entry).frame) }
        return ids
    }

    /// One box over every picture, in the lower right corner of its place.
    private final class Corner: OverlaySource {
        func overlay(at time: Int64, in place: OverlayPlace) -> OverlayPicture? {
            let rect = PixelRect(x: place.size.width - 1, y: place.size.height - 1, width: 1, height: 1)
            return OverlayPicture(size: place.size, boxes: [OverlayPicture.Box(rect: rect, pixels: [1, 2, 3, 4])].compactMap(\.self))
        }
    }

    /// The sizes of the overlays that were sent, from the last time this was asked.
    private func overlays() throws -> [PixelSize] {
        var sizes: [PixelSize] = []
        while case .message(let incoming) = peer.receive() {
            if case .overlay(_, let shape) = try ClientMessage(decoding: incoming.bytes) { sizes.append(shape.size) }
        }
        return sizes
    }

    @Test func whatLiesOverThePictureIsThereBeforeTheWindow() throws {
        router.setOverlays(Corner())
        try show(1)
        #expect(router.beginHandover(to: remote, from: output.size) && router.destination == .both)
        #expect(try overlays() == [output.size])
        router.setRemoteSize(PixelSize(width: 8, height: 8))
        #expect(try overlays() == [PixelSize(width: 8, height: 8)])
    }

    @Test func theGravityHoldsForOutputsToCome() {
        router.gravity = .resizeAspectFill
        #expect(output.gravity == .resizeAspectFill)
        let next = TestOutput()
        router.setOutput(next)
        #expect(next.gravity == .resizeAspectFill && router.gravity == .resizeAspectFill)
    }

    @Test func framesAreShownAtTheLayer() throws {
        #expect(router.present(due: 0) == nil, "nothing is prepared")
        try show(1)
        try show(2)
        #expect(output.takeCalls() == [.prepare(1), .present(1), .prepare(2), .present(2)])
        #expect(router.current?.id == 2 && router.destination == .layer)
    }

    @Test func aHandoverFeedsBothPlacesUntilTheNewOneHasShownAFrame() throws {
        try show(1)
        #expect(router.beginHandover(to: remote) && router.destination == .both)
        try show(2)
        #expect(try pushed() == [1, 2], "the frame on screen comes first")
        #expect(output.takeCalls() == [.prepare(1), .present(1), .prepare(2), .present(2)], "the layer misses nothing")
        router.completeHandover()
        #expect(router.destination == .remote)
        try show(3)
        #expect(try pushed() == [1, 2, 3])
        #expect(output.takeCalls() == [.placeholder("Playing in Picture-in-Picture")])
    }

    @Test("while both places are fed the one that covers the other is not behind it")
    func order() throws {
        let ring = try SharedDescriptor(FileDescriptor(duplicating: #require(remote.descriptors.first)))
        let before = Mutex<[UInt64]>([])
        output.onPresent {
            let file = try? MemoryFile(
                received: FileDescriptor(duplicating: ring.raw), minimumSize: DescriptorRing.byteCount, maximumSize: DescriptorRing.byteCount)
            guard let file, let reader = try? DescriptorRingReader(file) else { return }
            before.withLock { $0.append(reader.written) }
        }
        try show(1)
        _ = router.beginHandover(to: remote)
        try show(2)
        #expect(before.withLock { $0 } == [0, 2], "the floating window opens over the layer: it has the frame first")
        router.completeHandover()
        try show(3)
        #expect(router.beginReturn(from: remote) != nil && router.destination == .both)
        try show(4)
        #expect(before.withLock { $0 } == [0, 2, 3, 3], "it goes from over the layer: that has the frame first")
    }

    @Test func theCurrentFrameIsAtTheLayerBeforeItIsFedAgain() throws {
        try show(1)
        _ = router.beginHandover(to: remote)
        router.completeHandover()
        try show(2)
        router.prepare(try frames.frame(3))
        _ = output.takeCalls()
        router.returnToLayer(from: remote)
        #expect(router.destination == .layer)
        #expect(output.takeCalls() == [.prepare(2), .present(2), .prepare(3)])
        _ = router.present(due: 0)
        #expect(output.takeCalls() == [.present(3)])
        #expect(try pushed() == [1, 2], "nothing is sent any longer")
    }

    @Test func aHandoverThatIsGivenUpLeavesTheLayerAsItIs() throws {
        try show(1)
        _ = router.beginHandover(to: remote)
        _ = output.takeCalls()
        router.returnToLayer(from: remote)
        router.completeHandover()
        #expect(router.destination == .layer && output.takeCalls().isEmpty)
        try show(2)
        #expect(output.takeCalls() == [.prepare(2), .present(2)])
    }

    @Test func withoutAFrameThereIsNoHandover() {
        #expect(!router.beginHandover(to: remote) && router.destination == .layer)
    }

    @Test func aCompositorThatIsGoneGetsNoHandover() throws {
        try show(1)
        remote.close()
        #expect(!router.beginHandover(to: remote) && router.destination == .layer)
    }

    @Test func onlyThePlaceThatIsFedCanGiveBack() throws {
        let (ours, _) = try MessageSocket.pair()
        let other = try RemotePicture(session: 2, socket: ours, version: ProtocolVersion.current)
        try show(1)
        _ = router.beginHandover(to: remote)
        router.completeHandover()
        router.returnToLayer(from: other)
        #expect(router.destination == .remote)
    }

    @Test func anOutputThatComesLaterShowsWhatIsThere() throws {
        try show(1)
        router.prepare(try frames.frame(2))
        let late = TestOutput()
        router.setOutput(late)
        #expect(late.takeCalls() == [.prepare(1), .present(1), .prepare(2)])
        _ = router.present(due: 0)
        #expect(late.takeCalls() == [.present(2)])
        _ = router.beginHandover(to: remote)
        router.completeHandover()
        let later = TestOutput()
        router.setOutput(later)
        #expect(later.takeCalls() == [.placeholder("Playing in Picture-in-Picture")])
    }

    @Test func aRedrawShowsTheFrameAgainOrThePlaceholder() throws {
        router.redraw()
        #expect(output.takeCalls().isEmpty)
        try show(1)
        router.prepare(try frames.frame(2))
        _ = output.takeCalls()
        router.redraw()
        #expect(output.takeCalls() == [.prepare(1), .present(1), .prepare(2)] && router.repeats == 1)
        _ = router.beginHandover(to: remote)
        router.completeHandover()
        router.setPlaceholder(nil)
        _ = output.takeCalls()
        router.redraw()
        #expect(output.takeCalls() == [.placeholder(nil)] && router.repeats == 1)
    }

    @Test func whatIsOverIsForgotten() throws {
        try show(1)
        router.prepare(try frames.frame(2))
        router.clear()
        #expect(router.current == nil && router.present(due: 0) == nil)
        #expect(frames.pool.usage.free == frames.pool.usage.frames, "the memory is back")
    }
}
