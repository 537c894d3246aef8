import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct OverlayBlenderTests {
    private let pictureSize = PixelSize(width: 4, height: 2)

    /// Returns the pixels of a 4x2 picture that is filled with `colour`, after a box has been blended over it.
    private func blendedPixels(_ box: [UInt8], _ rect: PixelRect, over colour: UInt32) -> [UInt32] {
        var pixels = [UInt32](repeating: colour, count: 8)
        pixels.withUnsafeMutableBytes { target in
            box.withUnsafeBytes { source in
                guard let base = target.baseAddress, let box = source.baseAddress else { return }
                OverlayBlender.blend(box, rect, into: base, size: pictureSize, stride: 16)
            }
        }
        return pixels
    }

    @Test func opaquePixelsReplaceAndTransparentPixelsKeepTheBackground() {
        let result = blendedPixels(
            [1, 2, 3, 255, 0, 0, 0, 0], PixelRect(x: 1, y: 1, width: 2, height: 1), over: 0x00AA_BBCC)
        #expect(result[5] & 0xFFFFFF == 0x030201)
        #expect(result.enumerated().allSatisfy { $0 == 5 || $1 == 0x00AA_BBCC })
    }

    @Test func translucentPixelsMixWithTheBackground() {
        let result = blendedPixels([64, 0, 128, 128], PixelRect(x: 0, y: 0, width: 1, height: 1), over: 0x00C8_C8C8)
        let blue = Int(result[0] & 0xFF), green = Int(result[0] >> 8 & 0xFF), red = Int(result[0] >> 16 & 0xFF)
        #expect(abs(blue - 164) <= 1 && abs(green - 100) <= 1 && abs(red - 228) <= 1)
    }

    @Test func overlayIsClippedToThePicture() {
        let box = [UInt8](repeating: 255, count: 6 * 4 * 4)
        let result = blendedPixels(box, PixelRect(x: -1, y: -1, width: 6, height: 4), over: 0)
        #expect(result.allSatisfy { $0 & 0xFFFFFF == 0xFFFFFF })
        #expect(blendedPixels(box, PixelRect(x: 4, y: 0, width: 6, height: 4), over: 7).allSatisfy { $0 == 7 })
    }
}
