import CompositorProtocol
import MediaPipeline
import SharedFrames
import Testing
import WireFormat

@testable import SwiftPlay

/// Tests of the sizes at which a router's frames are shown, and of what follows from them. The frames have 16×16
/// samples.
@Suite struct FrameRouterViewTests {
    private let router = FrameRouter(), frames = TestFrames()

    private func view(_ side: Int) -> VideoDestination {
        .view(VideoViewGeometry(size: PixelSize(width: side, height: side)))
    }

    @Test func layerDeterminesTheDestinationAndTheSmoothing() throws {
        #expect(router.videoDestination == .unknown && router.neededLoopFiltering == .all)
        router.setOutput(TestOutput(size: PixelSize(width: 8, height: 8)))
        #expect(router.videoDestination == view(8) && router.neededLoopFiltering == .all, "no frame is shown yet")
        router.show(try frames.frame(1), due: 0)
        #expect(router.neededLoopFiltering == .referencesOnly)
        router.setOutput(TestOutput(size: PixelSize(width: 9, height: 9)))
        #expect(router.neededLoopFiltering == .all)
        router.setOutput(TestOutput(drawsCharacters: true))
        #expect(router.videoDestination == view(16) && router.neededLoopFiltering == .none)
    }

    @Test func largestViewThatReceivesFramesCounts() throws {
        router.setOutput(TestOutput(drawsCharacters: true))
        router.show(try frames.frame(1), due: 0)
        let (socket, compositorSocket) = try MessageSocket.pair()
        defer { withExtendedLifetime(compositorSocket) {} }
        let frameSink = try RemoteFrameSink(
            session: 1, socket: socket, version: ProtocolVersion.newest, stallTimeout: .max)
        #expect(router.beginHandover(to: frameSink, from: PixelSize(width: 32, height: 32)))
        #expect(router.videoDestination == view(32) && router.neededLoopFiltering == .all)
        #expect(router.floatingWindowSize == nil, "the layer shows the frames too")
        router.completeHandover()
        router.setRemoteSize(PixelSize(width: 6, height: 6))
        #expect(router.floatingWindowSize == PixelSize(width: 6, height: 6))
        #expect(router.videoDestination == view(6) && router.neededLoopFiltering == .referencesOnly)
    }
}
