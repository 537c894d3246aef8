import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct SixelEncoderTests {
    /// Returns the encoded pixels as text, without the definitions of the colours.
    private func encoded(_ pixels: [UInt32], width: Int, _ palette: SixelPalette = .full) -> String {
        let size = PixelSize(width: width, height: pixels.count / width)
        let bytes = pixels.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { SixelEncoder(palette: palette).encode($0, size: size) } ?? []
        }
        let definitions = String(decoding: palette.definitions, as: UTF8.self)
        return String(decoding: bytes, as: UTF8.self).replacing(definitions, with: "")
    }

    @Test func aWhitePictureIsOneRunForEachBand() {
        let white = [UInt32](repeating: 0xff_ffff, count: 12 * 8)
        // The second band has two rows, hence the bits 1 and 2 (B is 63 + 3).
        #expect(encoded(white, width: 12) == "\u{1b}P0;1;0q\"1;1;12;8#239!12~-#239!12B\u{1b}\\")
        #expect(encoded(white, width: 12, .small).contains("#15!12~"))
    }

    @Test func coloursOfABandFollowEachOtherFromTheFirstColumn() {
        let text = encoded([0, 0, 0xff_ffff, 0xff_ffff, 0], width: 5)
        #expect(text.hasSuffix("#0@@??@$#239??@@\u{1b}\\"))
    }

    @Test func everyPixelHasOneColour() {
        var seed: UInt32 = 1
        let pixels = (0..<(40 * 18)).map { _ in
            seed = seed &* 1_664_525 &+ 1_013_904_223
            return seed >> 8
        }
        // Count the bits of all sixels. A number follows `!` (the length of a run) or `#` (the number of a colour).
        var pixelCount = 0, runLength: Int?
        let sixels = encoded(pixels, width: 40).utf8.drop { $0 != UInt8(ascii: "#") }.dropLast(2)
        for byte in sixels {
            switch byte {
            case UInt8(ascii: "!"): runLength = 0
            case 0x30...0x39: runLength = runLength.map { $0 * 10 + Int(byte - 0x30) }
            case 0x3f...0x7e:
                pixelCount += (byte - 0x3f).nonzeroBitCount * (runLength ?? 1)
                runLength = nil
            default: break
            }
        }
        #expect(pixelCount == 40 * 18)
    }

    @Test("a run may be as long as the widest terminal", arguments: [3, 4, 10, 999, 1000, 9999, 10_000, 100_000])
    func longRunsHaveTheirLength(width: Int) {
        let text = encoded([UInt32](repeating: 0xff_ffff, count: width), width: width)
        #expect(text.hasSuffix(width > 3 ? "#239!\(width)@\u{1b}\\" : "#239@@@\u{1b}\\"))
    }
}
