import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct QuantityTextTests {
    @Test(
        "Bit rates are shown in kb/s or Mb/s",
        arguments: [
            (0.0, "0 kb/s"), (345_499, "345 kb/s"), (999_999, "1000 kb/s"), (1_000_000, "1.00 Mb/s"),
            (1_056_000, "1.06 Mb/s"), (12_000_000, "12.00 Mb/s"),
        ])
    func bitRatesAreShownInKilobitsOrMegabits(bitsPerSecond: Double, text: String) {
        #expect(QuantityText.bitRate(bitsPerSecond) == text)
    }

    @Test("Seconds have one decimal place", arguments: [(0.04, "0.0 s"), (12.55, "12.6 s"), (-0.5, "-0.5 s")])
    func secondsHaveOneDecimalPlace(seconds: Double, text: String) { #expect(QuantityText.seconds(seconds) == text) }

    @Test("Bytes are shown in kB and MB", arguments: [(Int64(20_000), "20 kB"), (12_540_000, "12.5 MB")])
    func bytesAreShownInKilobytesAndMegabytes(byteCount: Int64, text: String) {
        #expect(QuantityText.bytes(byteCount) == text)
    }

    @Test("Numbers without a decimal form do not trap") func numbersWithoutADecimalFormDoNotTrap() {
        #expect(QuantityText.seconds(.nan) == "unknown s")
        #expect(QuantityText.bitRate(.infinity) == "huge Mb/s" && QuantityText.seconds(-1e300) == "huge s")
        #expect(QuantityText.percent(0.85) == "85 %" && QuantityText.size(PixelSize(width: 1, height: 2)) == "1×2")
    }
}
