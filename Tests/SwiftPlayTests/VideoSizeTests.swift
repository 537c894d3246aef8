import Foundation
import Testing

@testable import SwiftPlay

@Suite struct VideoSizeTests {
    @Test func sizeAndRectangleDescriptionsContainTheirNumbers() {
        #expect("\(VideoSize(width: 1920, height: 1080))" == "1920x1080")
        #expect("\(VideoRect(x: 320, y: -4, width: 1280, height: 720))" == "1280x720+320-4")
    }

    @Test func decodingReturnsTheEncodedRectangle() throws {
        let rect = VideoRect(x: 1, y: 2, width: 3, height: 4)
        #expect(try JSONDecoder().decode(VideoRect.self, from: JSONEncoder().encode(rect)) == rect)
        #expect(rect.size == VideoSize(width: 3, height: 4) && rect.width == 3 && rect.height == 4)
        #expect(VideoRect.zero.size == .zero)
    }

    @Test(arguments: [(0, 1), (1, 0), (-4, 3), (4, -3)])
    func aspectRatioWithANonPositiveNumberBecomesSquare(_ horizontal: Int, _ vertical: Int) {
        #expect(PixelAspectRatio(horizontalSpacing: horizontal, verticalSpacing: vertical) == .square)
    }
}
