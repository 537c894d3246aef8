import Testing

@testable import FilmReel

@Suite struct PreviewScalerTests {
    private func scaler(_ isFullRange: Bool) -> PreviewScaler {
        let area = PixelSize(width: 4, height: 4)
        return PreviewScaler(
            crop: PosterCrop(source: area, tile: area), chromaScale: PixelSize(width: 2, height: 2),
            isFullRange: isFullRange)
    }

    private func isClose(_ color: (UInt8, UInt8, UInt8), _ expected: (Int, Int, Int)) -> Bool {
        abs(Int(color.0) - expected.0) <= 3 && abs(Int(color.1) - expected.1) <= 3
            && abs(Int(color.2) - expected.2) <= 3
    }

    @Test("the colours of ITU-R BT.709 in the video range, as blue, green and red")
    func videoRangeColorsAreConverted() {
        let scaler = scaler(false)
        #expect(scaler.color(16, 128, 128) == (0, 0, 0))
        #expect(scaler.color(235, 128, 128) == (255, 255, 255))
        #expect(isClose(scaler.color(63, 102, 240), (0, 0, 255)))
        #expect(isClose(scaler.color(173, 42, 26), (0, 255, 0)))
        #expect(isClose(scaler.color(32, 240, 118), (255, 0, 0)))
        #expect(scaler.color(255, 255, 255).0 == 255)
    }

    @Test func fullRangeUsesAllCodes() {
        #expect(scaler(true).color(0, 128, 128) == (0, 0, 0))
        #expect(scaler(true).color(255, 128, 128) == (255, 255, 255))
    }

    @Test func chromaIsHalfAsWideAndHigh() {
        let luma = [UInt8](repeating: 100, count: 16), cb: [UInt8] = [128, 240, 128, 128]
        let neutral = [UInt8](repeating: 128, count: 4)
        let pixels = luma.withUnsafeBytes { luma in
            cb.withUnsafeBytes { cb in
                neutral.withUnsafeBytes { cr in
                    scaler(true).pixels(
                        luma: .init(bytes: luma, bytesPerRow: 4), cb: .init(bytes: cb, bytesPerRow: 2),
                        cr: .init(bytes: cr, bytesPerRow: 2))
                }
            }
        }
        let blue = stride(from: 0, to: 64, by: 4).map { pixels[$0] }
        #expect(blue == [100, 100, 255, 255, 100, 100, 255, 255] + [UInt8](repeating: 100, count: 8))
    }
}
