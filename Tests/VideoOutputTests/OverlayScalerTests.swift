import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct OverlayScalerTests {
    /// The colour of the target picture before blending.
    private static let background: UInt32 = 0x0012_3456

    /// Draws an overlay box at `rect` of a picture of `size`, scaled to a picture of the size `targetSize`. Returns the
    /// drawn pixels; nil if a pixel of the border of one pixel around the picture changed.
    private func blendedPixels(_ box: [UInt32], _ rect: PixelRect, of size: PixelSize, in targetSize: PixelSize)
        -> [UInt32]?
    {
        let rowLength = targetSize.width + 2
        var pixels = [UInt32](repeating: Self.background, count: rowLength * (targetSize.height + 2))
        pixels.withUnsafeMutableBytes { target in
            box.withUnsafeBytes { source in
                guard let base = target.baseAddress, let box = source.baseAddress else { return }
                OverlayScaler().blend(
                    box, rect, of: size, into: base + (rowLength + 1) * 4, size: targetSize, stride: rowLength * 4)
            }
        }
        var innerPixels: [UInt32] = []
        for (index, pixel) in pixels.enumerated() {
            let x = index % rowLength - 1, y = index / rowLength - 1
            if (0..<targetSize.width).contains(x), (0..<targetSize.height).contains(y) {
                innerPixels.append(pixel)
            } else if pixel != Self.background {
                return nil
            }
        }
        return innerPixels
    }

    @Test(arguments: [(160, 90), (320, 180), (80, 45), (101, 57), (7, 5), (1, 1), (480, 3)])
    func aBoxCoversItsScaledAreaAndNoOtherPixel(_ width: Int, _ height: Int) throws {
        let size = PixelSize(width: 160, height: 90), rect = PixelRect(x: 40, y: 60, width: 80, height: 30)
        let targetSize = PixelSize(width: width, height: height)
        let box = [UInt32](repeating: 0xFF40_8020, count: rect.width * rect.height)
        let pixels = try #require(blendedPixels(box, rect, of: size, in: targetSize), "drawn outside")
        let area = OverlayScaler.area(of: rect, in: size, shownIn: targetSize)
        #expect(
            area.x + area.width <= width && area.y + area.height <= height && area.width >= width / 2
                && area.height >= height / 3)
        for (index, pixel) in pixels.enumerated() {
            let isInside = area.contains(x: index % width, y: index / width)
            #expect(pixel & 0xFF_FFFF == (isInside ? 0x40_8020 : Self.background), "\(index % width), \(index / width)")
        }
    }

    @Test func scalingInterpolatesBetweenPixels() throws {
        // A white pixel beside a transparent pixel becomes a ramp from white to the background colour.
        let pixels = try #require(
            blendedPixels(
                [0xFFFF_FFFF, 0, 0xFFFF_FFFF, 0], PixelRect(x: 0, y: 0, width: 2, height: 2),
                of: PixelSize(width: 2, height: 2),
                in: PixelSize(width: 8, height: 2)))
        let blue = pixels.prefix(8).map { Int($0 & 0xFF) }
        #expect(blue[0] == 255 && blue[1] == 255 && blue[7] == 0x56 && blue[6] == 0x56)
        #expect(zip(blue.dropFirst(), blue.dropFirst(2)).allSatisfy { $0 >= $1 } && Set(blue).count > 4, "\(blue)")
    }

    @Test("A box at the edge of the largest overlay is drawn without reading pixels outside the box")
    func boxAtTheEdgeOfTheLargestOverlayIsDrawn() throws {
        let size = PixelSize(width: 16384, height: 16384)
        let rect = PixelRect(x: 16383, y: 16383, width: 1, height: 1)
        let pixels = try #require(blendedPixels([0xFFFF_FFFF], rect, of: size, in: PixelSize(width: 3, height: 3)))
        #expect(pixels == [UInt32](repeating: Self.background, count: 8) + [0xFFFF_FFFF])
        #expect(blendedPixels([0xFFFF_FFFF], rect, of: size, in: PixelSize(width: 0, height: 0)) == [])
    }
}
