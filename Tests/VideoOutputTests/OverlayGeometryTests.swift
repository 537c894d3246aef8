import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct OverlayGeometryTests {
    private let windowSize = PixelSize(width: 1000, height: 1000)

    /// Returns the format of a picture of 400x200 pixels with the given attributes.
    private func format(_ change: (inout PictureAttributes) -> Void = { _ in }) throws -> FrameFormat {
        let pixelFormat = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(
                pixelFormat: pixelFormat, width: 400, height: 200,
                planes: [FrameLayout.Plane(offset: 0, stride: 400)]))
        var attributes = PictureAttributes()
        change(&attributes)
        return FrameFormat(layout: layout, attributes: attributes)
    }

    @Test("The picture lies in the middle, and the video has its own size")
    func fittedPictureIsCentredAndTheVideoKeepsItsSize() throws {
        let geometry = OverlayGeometry(size: windowSize, format: try format(), gravity: .resizeAspect)
        #expect(geometry.pictureRect == PixelRect(x: 0, y: 250, width: 1000, height: 500))
        #expect(
            geometry.windowSize == windowSize && geometry.videoSize == PixelSize(width: 400, height: 200)
                && geometry.coveredRowCount == 0)
    }

    @Test(
        "A picture that is stretched or cut covers the whole window",
        arguments: [VideoGravity.resize, .resizeAspectFill])
    func stretchedOrCroppedPictureCoversTheWholeWindow(_ gravity: VideoGravity) throws {
        let geometry = OverlayGeometry(size: windowSize, format: try format(), gravity: gravity)
        #expect(geometry.pictureRect == PixelRect(x: 0, y: 0, width: 1000, height: 1000))
    }

    @Test("A rotated picture has a rotated size")
    func rotatedPictureHasARotatedSize() throws {
        let rotatedFormat = try format {
            $0.orientation = PictureOrientation(transposes: true, mirrorsX: false, mirrorsY: false)
        }
        let geometry = OverlayGeometry(size: windowSize, format: rotatedFormat, gravity: .resizeAspect)
        #expect(geometry.videoSize == PixelSize(width: 200, height: 400))
        #expect(geometry.pictureRect == PixelRect(x: 250, y: 0, width: 500, height: 1000))
    }

    @Test("Wide samples widen the picture, but not the number of samples")
    func wideSamplesWidenThePictureButNotTheSampleCount() throws {
        let wideSampleFormat = try format { ($0.sampleAspectNumerator, $0.sampleAspectDenominator) = (2, 1) }
        let geometry = OverlayGeometry(size: windowSize, format: wideSampleFormat, gravity: .resizeAspect)
        #expect(geometry.pictureRect == PixelRect(x: 0, y: 375, width: 1000, height: 250))
        #expect(geometry.videoSize == PixelSize(width: 400, height: 200))
    }
}
