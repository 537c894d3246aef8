import CompositorProtocol
import Testing
@testable import SwiftPlayKit

/// What a floating window shows of a range of time.
@Suite struct PlaybackFactsTests {
    private func facts(_ time: Double, _ range: MediaTimeRange) -> PlaybackFacts { PlaybackFacts(isPaused: false, time: MediaTime(seconds: time), in: range) }
    private let minute = MediaTimeRange(start: MediaTime(seconds: 10), duration: MediaTime(seconds: 60))

    @Test func theTimeCountsFromTheStartAndStaysInside() {
        #expect(facts(25, minute) == PlaybackFacts(isPaused: false, position: 15_000_000_000, duration: 60_000_000_000))
        #expect(facts(70.000_001, minute).position == 60_000_000_000)
        #expect(facts(9, minute).position == 0)
        #expect(facts(.nan, minute).position == 0)
    }

    @Test func whatIsLiveHasNoEndAndNothingHasNoLength() {
        #expect(facts(25, MediaTimeRange(start: .zero, duration: .positiveInfinity)) == PlaybackFacts(isPaused: false, position: 25_000_000_000, duration: 0))
        #expect(facts(25, MediaTimeRange(start: .zero, duration: .indefinite)).duration == 0)
        #expect(facts(0, .invalid) == PlaybackFacts(isPaused: false, position: 0, duration: 0))
    }
}

@Suite struct TemplateImageTests {
    @Test(arguments: [8, 32, 33]) func theButtonsHaveImagesOfTheirSize(edge: Int) throws {
        let start = try #require(PictureInPictureController.pictureInPictureButtonStartImage(edge: edge))
        let stop = try #require(PictureInPictureController.pictureInPictureButtonStopImage(edge: edge))
        for image in [start, stop] {
            #expect(image.width == edge && image.height == edge && image.coverage.count == edge * edge)
            // The small screen at the lower right is filled, a corner is empty.
            #expect(image.coverage[edge * 7 / 10 * edge + edge * 3 / 4] == 255 && image.coverage[0] == 0)
        }
        #expect(start != stop)
        let pixel = (edge * 7 / 10 * edge + edge * 3 / 4) * 4
        #expect(Array(start.rgba(red: 1, green: 2, blue: 3)[pixel..<pixel + 4]) == [1, 2, 3, 255])
        #expect(Array(start.premultipliedBGRA(red: 1, green: 2, blue: 3)[pixel..<pixel + 4]) == [3, 2, 1, 255])
    }

    @Test func absurdSizesAreHeldInBounds() {
        #expect(PictureInPictureController.pictureInPictureButtonStartImage(edge: -5)?.width == 8)
        #expect(PictureInPictureController.pictureInPictureButtonStartImage(edge: .max)?.width == 1024)
    }
}
