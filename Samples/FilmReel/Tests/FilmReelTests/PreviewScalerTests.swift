import Testing

@testable import FilmReel

@Suite struct PreviewScalerTests {
    private func scaler(_ isFullRange: Bool, _ coefficients: PreviewScaler.Coefficients = .bt709) -> PreviewScaler {
        let area = PixelSize(width: 4, height: 4)
        return PreviewScaler(
            crop: PosterCrop(source: area, tile: area), chromaScale: PixelSize(width: 2, height: 2),
            isFullRange: isFullRange, coefficients: coefficients)
    }

    private func isClose(_ color: (UInt8, UInt8, UInt8), _ expected: (Int, Int, Int)) -> Bool {
        abs(Int(color.0) - expected.0) <= 3 && abs(Int(color.1) - expected.1) <= 3
            && abs(Int(color.2) - expected.2) <= 3
    }

    @Test("colours of ITU-R BT.709 in the video range are converted to blue, green and red")
    func videoRangeColorsAreConverted() {
        let scaler = scaler(false)
        #expect(scaler.color(16, 128, 128) == (0, 0, 0))
        #expect(scaler.color(235, 128, 128) == (255, 255, 255))
        #expect(isClose(scaler.color(63, 102, 240), (0, 0, 255)))
        #expect(isClose(scaler.color(173, 42, 26), (0, 255, 0)))
        #expect(isClose(scaler.color(32, 240, 118), (255, 0, 0)))
        #expect(scaler.color(255, 255, 255).0 == 255)
    }

    @Test("colours of ITU-R BT.601 in the video range are converted to blue, green and red")
    func standardDefinitionColorsAreConverted() {
        let scaler = scaler(false, .bt601)
        #expect(scaler.color(16, 128, 128) == (0, 0, 0))
        #expect(scaler.color(235, 128, 128) == (255, 255, 255))
        #expect(isClose(scaler.color(81, 90, 240), (0, 0, 255)))
        #expect(isClose(scaler.color(145, 54, 34), (0, 255, 0)))
        #expect(isClose(scaler.color(41, 240, 110), (255, 0, 0)))
    }

    @Test func coefficientsDependOnTheMatrixOfThePicture() {
        typealias Coefficients = PreviewScaler.Coefficients
        let standardSize = PixelSize(width: 720, height: 576), highDefinitionSize = PixelSize(width: 1920, height: 1080)
        #expect(Coefficients(matrix: .bt470BG, size: highDefinitionSize) == .bt601)
        #expect(Coefficients(matrix: .smpte170M, size: highDefinitionSize) == .bt601)
        #expect(Coefficients(matrix: .bt709, size: standardSize) == .bt709)
        #expect(Coefficients(matrix: .unspecified, size: standardSize) == .bt601)
        #expect(Coefficients(matrix: .unspecified, size: highDefinitionSize) == .bt709)
    }

    @Test func fullRangeUsesAllCodes() {
        #expect(scaler(true).color(0, 128, 128) == (0, 0, 0))
        #expect(scaler(true).color(255, 128, 128) == (255, 255, 255))
    }

    @Test func chromaIsHalfAsWideAndHigh() {
        let luma = [UInt8](repeating: 100, count: 16), cb: [UInt8] = [128, 240, 128, 128]
        let neutralChroma = [UInt8](repeating: 128, count: 4)
        let pixels = luma.withUnsafeBytes { luma in
            cb.withUnsafeBytes { cb in
                neutralChroma.withUnsafeBytes { cr in
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
