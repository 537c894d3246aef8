import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct PlaceholderPictureTests {
    /// The colour of all pixels before the placeholder is drawn.
    private static let untouchedColour: UInt32 = 0xDEAD_BEEF

    /// Draws the placeholder picture of the player with a margin on each side, and returns the pixels inside the
    /// margin; nil if a pixel of the margin changed.
    private func draw(_ size: PixelSize) -> [UInt32]? {
        let margin = 4, across = size.width + 2 * margin, down = size.height + 2 * margin
        var pixels = [UInt32](repeating: Self.untouchedColour, count: across * down)
        pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            PlaceholderPicture.draw(pixels: base + (margin * across + margin) * 4, size: size, stride: across * 4)
        }
        var inside: [UInt32] = []
        for y in 0..<down {
            for x in 0..<across {
                let pixel = pixels[y * across + x]
                if x >= margin, x < margin + size.width, y >= margin, y < margin + size.height {
                    inside.append(pixel)
                } else if pixel != Self.untouchedColour {
                    return nil
                }
            }
        }
        return inside
    }

    @Test(arguments: [(1, 1), (15, 15), (47, 33), (48, 32), (160, 90), (640, 360), (33, 500), (500, 33)])
    func drawsEveryPixelInsideAndNoPixelOutside(_ width: Int, _ height: Int) throws {
        let inside = try #require(draw(PixelSize(width: width, height: height)), "drawn outside")
        #expect(inside.count == width * height && !inside.contains(Self.untouchedColour))
    }

    @Test func onlyALargePlaceholderShowsTheOutline() throws {
        #expect(Set(try #require(draw(PixelSize(width: 640, height: 360)))).count == 2)
        #expect(Set(try #require(draw(PixelSize(width: 20, height: 20)))).count == 1)
    }
}
