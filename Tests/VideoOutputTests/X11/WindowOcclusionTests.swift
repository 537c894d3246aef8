import SharedFrames
import TestSupport
import Testing

@testable import VideoOutput

@Suite struct WindowOcclusionTests {
    private let window = PixelRect(x: 100, y: 50, width: 400, height: 300)

    @Test func aWindowWithNothingAboveItIsVisible() {
        #expect(!WindowOcclusion.isCovered(window, by: []))
    }

    @Test func oneLargerWindowCoversTheWindow() {
        #expect(WindowOcclusion.isCovered(window, by: [window]))
        #expect(WindowOcclusion.isCovered(window, by: [PixelRect(x: 0, y: 0, width: 600, height: 600)]))
    }

    @Test("One uncovered row or column of pixels keeps the window visible")
    func oneUncoveredLineOfPixelsKeepsTheWindowVisible() {
        #expect(!WindowOcclusion.isCovered(window, by: [PixelRect(x: 101, y: 50, width: 400, height: 300)]))
        #expect(!WindowOcclusion.isCovered(window, by: [PixelRect(x: 100, y: 50, width: 399, height: 300)]))
        #expect(!WindowOcclusion.isCovered(window, by: [PixelRect(x: 100, y: 51, width: 400, height: 300)]))
        #expect(!WindowOcclusion.isCovered(window, by: [PixelRect(x: 100, y: 50, width: 400, height: 299)]))
    }

    @Test func severalWindowsCoverTheWindowTogether() {
        let tiles = (0..<4).flatMap { column in
            (0..<3).map { PixelRect(x: 90 + column * 110, y: 40 + $0 * 110, width: 120, height: 115) }
        }
        #expect(WindowOcclusion.isCovered(window, by: tiles))
        for index in tiles.indices where index != 5 {
            var others = tiles
            others.remove(at: index)
            #expect(!WindowOcclusion.isCovered(window, by: others), "without tile \(index)")
        }
    }

    @Test func aWindowBesideTheWindowDoesNotCoverIt() {
        #expect(!WindowOcclusion.isCovered(window, by: [PixelRect(x: 500, y: 50, width: 400, height: 300)]))
        #expect(!WindowOcclusion.isCovered(PixelRect(x: 0, y: 0, width: 0, height: 0), by: [window]))
    }

    @Test("The result equals that of painting the covering windows pixel by pixel")
    func resultAgreesWithPaintingPixelByPixel() {
        var random = SeededGenerator.printingSeed()
        let smallRect = PixelRect(x: 2, y: 3, width: 9, height: 7)
        for _ in 0..<2000 {
            let coveringRects = (0..<Int.random(in: 0...7, using: &random)).map { _ in
                PixelRect(
                    x: .random(in: 0...9, using: &random), y: .random(in: 0...9, using: &random),
                    width: .random(in: 0...11, using: &random), height: .random(in: 0...11, using: &random))
            }
            let isPainted = (smallRect.y..<smallRect.y + smallRect.height).allSatisfy { y in
                (smallRect.x..<smallRect.x + smallRect.width).allSatisfy { x in
                    coveringRects.contains { $0.contains(x: x, y: y) }
                }
            }
            #expect(WindowOcclusion.isCovered(smallRect, by: coveringRects) == isPainted, "\(coveringRects)")
        }
    }
}
