import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct VideoViewGeometryTests {
    private func view(_ width: Int, _ height: Int) -> VideoViewGeometry { ChooserFixtures.view(width, height) }

    @Test("The largest view has the most pixels") func largestViewHasTheMostPixels() {
        #expect(VideoViewGeometry.largest(of: [view(400, 225), view(1280, 720), view(2000, 100)]) == view(1280, 720))
    }

    @Test("Empty views are not shown") func emptyViewsAreNotShown() {
        #expect(VideoViewGeometry.largest(of: []) == nil)
        #expect(VideoViewGeometry.largest(of: [view(0, 500), view(-3, -3)]) == nil)
    }

    @Test("An invalid pixel aspect ratio becomes 1", arguments: [Double.nan, .infinity, 0, -2])
    func invalidPixelAspectRatioBecomesOne(ratio: Double) {
        #expect(VideoViewGeometry(size: PixelSize(width: 1, height: 1), pixelAspectRatio: ratio).pixelAspectRatio == 1)
    }
}
