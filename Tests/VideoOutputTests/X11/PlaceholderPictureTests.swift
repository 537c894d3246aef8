import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct PlaceholderPictureTests {
    /// The colour of all pixels before the placeholder is drawn.
    private static let untouchedColour: UInt32 = 0xDEAD_BEEF

    /// Draws the placeholder picture of the player with a margin on each side, and returns the pixels inside the
    /// margin; nil if a pixel of the margin changed.
    private func draw(_ size: PixelSize) -> [UInt32]? {
        let margin = 4, rowLength = size.width + 2 * margin, rowCount = size.height + 2 * margin
        var pixels = [UInt32](repeating: Self.untouchedColour, count: rowLength * rowCount)
        pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            PlaceholderPicture.draw(pixels: base + (margin * rowLength + margin) * 4, size: size, stride: rowLength * 4)
        }
        var innerPixels: [UInt32] = []
        for y in 0..<rowCount {
            for x in 0..<rowLength {
                let pixel = pixels[y * rowLength + x]
                if x >= margin, x < margin + size.width, y >= margin, y < margin + size.height {
                    innerPixels.append(pixel)
                } else if pixel != Self.untouchedColour {
                    return nil
                }
            }
        }
        return innerPixels
    }

    @Test(arguments: [(1, 1), (15, 15), (47, 33), (48, 32), (160, 90), (640, 360), (33, 500), (500, 33)])
    func everyPixelInsideAndNoPixelOutsideIsDrawn(_ width: Int, _ height: Int) throws {
        let innerPixels = try #require(draw(PixelSize(width: width, height: height)), "drawn outside")
        #expect(innerPixels.count == width * height && !innerPixels.contains(Self.untouchedColour))
    }

    @Test func onlyALargePlaceholderShowsTheOutline() throws {
        #expect(Set(try #require(draw(PixelSize(width: 640, height: 360)))).count == 2)
        #expect(Set(try #require(draw(PixelSize(width: 20, height: 20)))).count == 1)
    }
}
