import SharedFrames
import TestSupport
import Testing

@testable import VideoOutput

@Suite struct PlacementTests {
    /// The size of a high-definition picture.
    private let fullHD = PixelSize(width: 1920, height: 1080)

    /// Returns how a picture is placed in an area with the given gravity.
    private func place(_ picture: PixelSize, _ areaSize: PixelSize, _ gravity: VideoGravity) -> Placement {
        Placement(picture: picture, displaySize: picture, areaSize: areaSize, gravity: gravity)
    }

    @Test func aspectFitCentresAWidePictureVertically() {
        let placement = place(fullHD, PixelSize(width: 1000, height: 1000), .resizeAspect)
        #expect(placement.destination == PixelRect(x: 0, y: 218, width: 1000, height: 563))
        #expect(placement.source == PixelRect(x: 0, y: 0, width: 1920, height: 1080))
    }

    @Test func aspectFitCentresATallPictureHorizontally() {
        let placement = place(PixelSize(width: 720, height: 1280), PixelSize(width: 1280, height: 720), .resizeAspect)
        #expect(placement.destination == PixelRect(x: 437, y: 0, width: 405, height: 720))
    }

    @Test func aspectFillCropsTheSourceAroundItsCentre() {
        let placementInSquareArea = place(fullHD, PixelSize(width: 500, height: 500), .resizeAspectFill)
        #expect(placementInSquareArea.destination == PixelRect(x: 0, y: 0, width: 500, height: 500))
        #expect(placementInSquareArea.source == PixelRect(x: 420, y: 0, width: 1080, height: 1080))
        let placementInWideArea = place(fullHD, PixelSize(width: 2000, height: 500), .resizeAspectFill)
        #expect(placementInWideArea.source == PixelRect(x: 0, y: 300, width: 1920, height: 480))
    }

    @Test func resizeStretchesTheWholePicture() {
        let placement = place(fullHD, PixelSize(width: 10, height: 700), .resize)
        #expect(placement.destination == PixelRect(x: 0, y: 0, width: 10, height: 700))
        #expect(placement.source == PixelRect(x: 0, y: 0, width: 1920, height: 1080))
    }

    @Test func theDisplaySizeDecidesTheAspectRatio() {
        let placement = Placement(
            picture: PixelSize(width: 720, height: 576), displaySize: PixelSize(width: 1024, height: 576),
            areaSize: PixelSize(width: 1024, height: 1000), gravity: .resizeAspect)
        #expect(placement.destination == PixelRect(x: 0, y: 212, width: 1024, height: 576))
        #expect(placement.source.width == 720)
    }

    @Test func emptySizesGiveNonEmptyDestinations() {
        for gravity in [VideoGravity.resize, .resizeAspect, .resizeAspectFill] {
            let emptyArea = PixelSize(width: 0, height: -5)
            #expect(place(fullHD, emptyArea, gravity).destination.size == PixelSize(width: 1, height: 1))
            #expect(place(PixelSize(width: 0, height: 0), fullHD, gravity).destination.size == fullHD)
        }
    }

    @Test func rectanglesStayInsideAndKeepTheAspectRatio() {
        var random = SeededGenerator.printingSeed()
        func randomSize() -> PixelSize {
            PixelSize(width: .random(in: 1...4000, using: &random), height: .random(in: 1...4000, using: &random))
        }
        for _ in 0..<20_000 {
            let picture = randomSize(), area = randomSize()
            for gravity in [VideoGravity.resize, .resizeAspect, .resizeAspectFill] {
                let placement = place(picture, area, gravity)
                for (rect, bounds) in [(placement.destination, area), (placement.source, picture)] {
                    let isInside =
                        rect.x >= 0 && rect.y >= 0 && rect.width > 0 && rect.height > 0
                        && rect.x + rect.width <= bounds.width && rect.y + rect.height <= bounds.height
                    #expect(isInside, "\(picture) in \(area) by \(gravity): \(rect)")
                }
            }
            let fittedDestination = place(picture, area, .resizeAspect).destination
            #expect(fittedDestination.width == area.width || fittedDestination.height == area.height)
            let scale = min(Double(area.width) / Double(picture.width), Double(area.height) / Double(picture.height))
            #expect(abs(Double(fittedDestination.width) - Double(picture.width) * scale) <= 1)
            #expect(abs(Double(fittedDestination.height) - Double(picture.height) * scale) <= 1)
            let croppedSource = place(picture, area, .resizeAspectFill).source
            #expect(croppedSource.width == picture.width || croppedSource.height == picture.height)
            #expect(
                abs(
                    Double(croppedSource.width)
                        - min(Double(picture.width), Double(area.width * picture.height) / Double(area.height))) <= 1)
            #expect(
                abs(
                    Double(croppedSource.height)
                        - min(Double(picture.height), Double(area.height * picture.width) / Double(area.width))) <= 1)
        }
    }
}
