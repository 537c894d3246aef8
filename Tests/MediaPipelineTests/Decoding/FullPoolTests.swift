import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests the decoder while the test keeps so many frames that the frame pool has no memory left.
@Suite struct FullPoolTests {
    /// The decoder copies the interlaced clip into the frame pool after deinterlacing, and decodes the other clip
    /// directly into the frame pool.
    @Test(arguments: [("interlaced.mkv", 1), ("count30.mp4", 1), ("count30.mp4", 4)])
    func picturesAreDroppedUntilThePoolHasMemory(_ name: String, _ threads: Int) throws {
        let reader = try MediaReader(try Fixtures.path(name)) { $0.decoderThreads = threads }
        let duration = try #require(try reader.outcome().get().duration)
        var heldFrames: [VideoFrame] = []
        let isPoolExhausted: Bool? = Deadline.poll(for: .seconds(60)) {
            while case .frame(let frame)? = reader.source.video.popIfAny() { heldFrames.append(frame) }
            while let event = reader.source.events.popIfAny() {
                if case .warning(let error) = event, error.code == .outOfMemory { return true }
                if case .trackFailed(_, let error) = event {
                    Issue.record("the track failed: \(error)")
                    return true
                }
            }
            return nil
        }
        try #require(isPoolExhausted == true)
        #expect(heldFrames.count > 30)
        heldFrames = []
        var lastFrame: VideoFrame?, frameCount = 0
        while let frame = try reader.next() {
            lastFrame = frame
            frameCount += 1
        }
        let endFrame = try #require(lastFrame)
        #expect(frameCount > 1)
        #expect(
            abs(endFrame.presentationTime + endFrame.duration - duration) < 200_000_000,
            "\(endFrame.presentationTime) of \(duration)")
        if name == "count30.mp4" { #expect(frameNumber(of: endFrame) == 599) }
    }
}
