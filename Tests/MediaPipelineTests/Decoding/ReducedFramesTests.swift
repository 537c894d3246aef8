import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct ReducedFramesTests {
    /// Returns the frame after `frameCount` frames that follow a change of the size at which the picture is shown.
    private func frame(_ reader: MediaReader, after frameCount: Int, shownSize: PixelSize?) throws -> VideoFrame {
        var demand = DecodingDemand()
        demand.shownSize = shownSize
        reader.source.setDecodingDemand(demand)
        for _ in 0..<frameCount { _ = try reader.next() }
        return try #require(try reader.next())
    }

    @Test func framesFollowTheSizeAtWhichTheyAreShown() throws {
        let reader = try MediaReader(try Fixtures.path("count30.mp4")) { $0.frameLimit = 1 }
        for (shownSize, width) in [
            (nil, 640), (PixelSize(width: 160, height: 90), 160), (PixelSize(width: 320, height: 180), 320),
            (PixelSize(width: 321, height: 181), 640), (nil, 640),
        ] {
            let frame = try frame(reader, after: 20, shownSize: shownSize)
            #expect(frame.format.layout.width == width && frame.format.codedSize == PixelSize(width: 640, height: 360))
            #expect(frame.wholeByteCount >= 640 * 360 * 3 / 2)
        }
    }

    @Test func otherPixelFormatsKeepTheirSize() throws {
        let reader = try MediaReader(try Fixtures.path("x264-444.mp4")) { $0.frameLimit = 1 }
        let frame = try frame(reader, after: 20, shownSize: PixelSize(width: 32, height: 18))
        #expect(frame.format.attributes.reduction == nil)
    }
}
