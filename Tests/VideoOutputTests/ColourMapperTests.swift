import Foundation
import SharedFrames
import Testing

@testable import VideoOutput

/// Compares the mapping of HDR colours to screen colours with an independent implementation of the formulas of ITU-R
/// BT.2100 and BT.2390, in double precision and without lookup tables.
@Suite struct ColourMapperTests {
    /// A colour as linear light in cd/m², or as signals from 0 to 1.
    private struct RGB { var r, g, b: Double }

    /// The inverse PQ EOTF of ITU-R BT.2100: returns the signal for a luminance in cd/m².
    private func pqSignal(_ nits: Double) -> Double {
        let (m1, m2, c1, c2, c3) = (2610.0 / 16384, 2523.0 / 32, 3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)
        let y = pow(nits / 10_000, m1)
        return pow((c1 + c2 * y) / (1 + c3 * y), m2)
    }

    /// The PQ EOTF of ITU-R BT.2100: returns the luminance in cd/m² for a signal.
    private func pqLuminance(_ code: Double) -> Double {
        let (m1, m2, c1, c2, c3) = (2610.0 / 16384, 2523.0 / 32, 3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)
        let p = pow(code, 1 / m2)
        return 10_000 * pow(max(p - c1, 0) / (c2 - c3 * p), 1 / m1)
    }

    /// The HLG OETF of ITU-R BT.2100, table 5: returns the signal for scene light from 0 to 1.
    private func hlgSignal(_ e: Double) -> Double {
        e <= 1.0 / 12 ? (3 * e).squareRoot() : 0.17883277 * log(12 * e - 0.28466892) + 0.55991073
    }

    /// The EETF (tone mapping curve) of ITU-R BT.2390-10, section 5.4.1, with both black levels at 0: returns the
    /// luminance on a screen of 203 cd/m². `peak`: the largest luminance of the picture in cd/m².
    private func eetf(_ nits: Double, peak: Double) -> Double {
        guard peak > 203 else { return min(nits, 203) }
        let peakSignal = pqSignal(peak), e1 = min(pqSignal(nits) / peakSignal, 1), maxLum = pqSignal(203) / peakSignal,
            ks = 1.5 * maxLum - 0.5
        guard e1 >= ks else { return nits }
        let t = (e1 - ks) / (1 - ks)
        let e2 =
            (2 * pow(t, 3) - 3 * pow(t, 2) + 1) * ks + (pow(t, 3) - 2 * pow(t, 2) + t) * (1 - ks)
            + (-2 * pow(t, 3) + 3 * pow(t, 2)) * maxLum
        return pqLuminance(e2 * peakSignal)
    }

    /// Returns the expected 8-bit screen colour of BT.2020 light in cd/m². `peak`: the largest luminance of the
    /// picture.
    private func expectedColour(_ light: RGB, peak: Double) -> (r: Int, g: Int, b: Int) {
        let maximum = max(light.r, light.g, light.b), gain = maximum > 0 ? eetf(maximum, peak: peak) / maximum / 203 : 0
        let (r, g, b) = (light.r * gain, light.g * gain, light.b * gain)
        func sdrCode(_ v: Double) -> Int { Int((pow(min(max(v, 0), 1), 1 / 2.4) * 255).rounded()) }
        return (
            sdrCode(1.6605 * r - 0.5876 * g - 0.0728 * b), sdrCode(-0.1246 * r + 1.1329 * g - 0.0083 * b),
            sdrCode(-0.0182 * r - 0.1006 * g + 1.1187 * b)
        )
    }

    /// Draws a 10-bit frame of one colour, given as R'G'B' signals from 0 to 1, and returns the resulting screen
    /// colour.
    private func draw(
        _ coded: RGB, transfer: TransferCharacteristics, primaries: ColourPrimaries = .bt2020, peak: UInt16 = 0,
        isFullRange: Bool = false
    ) throws -> (r: Int, g: Int, b: Int) {
        let pixelFormat = try #require(PixelFormat(name: "yuv420p10le"))
        let y = 0.2627 * coded.r + 0.6780 * coded.g + 0.0593 * coded.b
        let u = (coded.b - y) / 1.8814, v = (coded.r - y) / 1.4746
        let samples =
            isFullRange
            ? [y * 1023, u * 1023 + 512, v * 1023 + 512] : [64 + 876 * y, 512 + 896 * u, 512 + 896 * v]
        let (width, height) = (32, 16)
        let layout = try #require(
            FrameLayout(
                pixelFormat: pixelFormat, width: width, height: height,
                planes: [
                    .init(offset: 0, stride: 128), .init(offset: 4096, stride: 64), .init(offset: 8192, stride: 64),
                ]))
        var attributes = PictureAttributes()
        (attributes.matrix, attributes.primaries, attributes.transfer) = (.bt2020, primaries, transfer)
        (attributes.peakLuminance, attributes.isFullRange) = (peak, isFullRange)
        var memory = [UInt16](repeating: 0, count: 8192)
        for (index, sample) in samples.enumerated() {
            let value = UInt16(min(max(sample.rounded(), 0), 1023))
            for offset in 0..<2048 { memory[index * 2048 + offset] = value }
        }
        var drawnPixels = [UInt8](repeating: 0x77, count: width * height * 4)
        let isDrawn = memory.withUnsafeBytes { bytes in
            drawnPixels.withUnsafeMutableBytes { pixels in
                guard let base = bytes.baseAddress, let target = pixels.baseAddress else { return false }
                return PictureScaler().draw(
                    PictureMemory(base: base, layout: layout),
                    format: FrameFormat(layout: layout, attributes: attributes),
                    source: PixelRect(x: 0, y: 0, width: width, height: height), into: target,
                    size: PixelSize(width: width, height: height),
                    stride: width * 4)
            }
        }
        #expect(isDrawn)
        for pixel in stride(from: 0, to: drawnPixels.count, by: 4) {
            #expect(
                drawnPixels[pixel] == drawnPixels[0] && drawnPixels[pixel + 1] == drawnPixels[1]
                    && drawnPixels[pixel + 2] == drawnPixels[2])
        }
        return (Int(drawnPixels[2]), Int(drawnPixels[1]), Int(drawnPixels[0]))
    }

    /// The tested colours, as linear light in cd/m².
    private static let testedLights: [RGB] =
        [0, 0.1, 1, 10, 50, 100, 203, 400, 700, 1000].map { RGB(r: $0, g: $0, b: $0) } + [
            RGB(r: 100, g: 20, b: 5), RGB(r: 5, g: 150, b: 60), RGB(r: 30, g: 30, b: 300), RGB(r: 900, g: 400, b: 100),
            RGB(r: 300, g: 600, b: 950),
        ]

    /// Returns whether each component of two 8-bit screen colours differs by at most `levels`.
    private func isNear(_ a: (r: Int, g: Int, b: Int), _ b: (r: Int, g: Int, b: Int), within levels: Int) -> Bool {
        abs(a.r - b.r) <= levels && abs(a.g - b.g) <= levels && abs(a.b - b.b) <= levels
    }

    @Test(arguments: [(0, 1000.0, false), (4000, 4000, false), (600, 600, true)] as [(UInt16, Double, Bool)])
    func pqColoursAreMappedToSDR(_ statedPeak: UInt16, _ peak: Double, _ isFullRange: Bool) throws {
        for light in Self.testedLights {
            let actual = try draw(
                RGB(r: pqSignal(light.r), g: pqSignal(light.g), b: pqSignal(light.b)), transfer: .pq, peak: statedPeak,
                isFullRange: isFullRange)
            let expected = expectedColour(light, peak: peak)
            // Rounding to 10-bit luma and chroma changes dark screen colours by a few levels of 255.
            #expect(isNear(actual, expected, within: 5), "\(light): \(actual), wanted \(expected)")
        }
    }

    @Test func hlgColoursAreMappedToSDR() throws {
        for light in Self.testedLights {
            // Inverts the HLG OOTF of a screen with a peak of 1000 cd/m² to get scene light.
            let y = (0.2627 * light.r + 0.6780 * light.g + 0.0593 * light.b) / 1000
            let factor = y > 0 ? pow(y, -0.2 / 1.2) / 1000 : 0
            let scene = RGB(r: light.r * factor, g: light.g * factor, b: light.b * factor)
            guard max(scene.r, scene.g, scene.b) <= 1 else { continue }
            let signal = RGB(r: hlgSignal(scene.r), g: hlgSignal(scene.g), b: hlgSignal(scene.b))
            let actual = try draw(signal, transfer: .hlg)
            let expected = expectedColour(light, peak: 1000)
            #expect(isNear(actual, expected, within: 5), "\(light): \(actual), wanted \(expected)")
        }
    }

    @Test func bt2020SDRKeepsGreysAndClipsColoursOutsideTheGamut() throws {
        for level in [0.0, 0.25, 0.5, 1] {
            let actual = try draw(RGB(r: level, g: level, b: level), transfer: .bt2020)
            let expected = Int((level * 255).rounded())
            #expect(isNear(actual, (expected, expected, expected), within: 2), "\(level): \(actual)")
        }
        let green = try draw(RGB(r: 0, g: 1, b: 0), transfer: .bt2020)
        #expect(green.r == 0 && green.g == 255 && green.b == 0, "\(green)")
    }

    @Test func toneMappingKeepsDarkLevelsAndMapsThePeakToWhite() {
        for peak in [300.0, 1000, 4000, 10_000] {
            #expect(ColourMapper.toneMapped(1, peak: peak) == 1)
            #expect(abs(ColourMapper.toneMapped(peak, peak: peak) - 203) < 0.01)
            var previousLuminance = 0.0
            for step in 1...1000 {
                let mappedLuminance = ColourMapper.toneMapped(peak * Double(step) / 1000, peak: peak)
                #expect(mappedLuminance > previousLuminance && mappedLuminance <= 203.01)
                previousLuminance = mappedLuminance
            }
        }
        #expect(ColourMapper.toneMapped(150, peak: 203) == 150)
    }

    @Test func onlyHDRAndBT2020PicturesNeedMapping() throws {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: gray, width: 16, height: 16, planes: [.init(offset: 0, stride: 16)]))
        var attributes = PictureAttributes()
        // The numbers are the codes of ITU-T H.273 for the colour primaries and the transfer characteristics.
        for (primaries, transfer, isNeeded) in [
            (2, 2, false), (1, 1, false), (5, 6, false), (9, 16, true), (2, 18, true), (9, 14, true), (1, 16, true),
        ] as [(UInt8, UInt8, Bool)] {
            attributes.primaries = ColourPrimaries(rawValue: primaries)
            attributes.transfer = TransferCharacteristics(rawValue: transfer)
            #expect(ColourMapper.isNeeded(for: FrameFormat(layout: layout, attributes: attributes)) == isNeeded)
        }
    }
}
