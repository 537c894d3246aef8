import SharedFrames
import Testing

@testable import SwiftPlay

@Suite struct MediaTimeLimitTests {
    @Test func negativeSecondsConvertToNegativeNanoseconds() {
        #expect(MediaTime(value: -1, timescale: 1).nanoseconds == -1_000_000_000)
        #expect(MediaTime(seconds: -3, preferredTimescale: 1).nanoseconds == -3_000_000_000)
    }

    @Test func equalTimesHaveEqualHashes() {
        let value = (Int64(1) << 53) + 1
        let a = MediaTime(value: value, timescale: 1), b = MediaTime(value: 3 * value, timescale: 3)
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
    }

    @Test func frameLayoutWithAnOutOfRangePaletteStrideIsRefused() throws {
        let format = try #require(PixelFormat(name: "pal8"))
        for stride in [0xFFFF_FFFF, -1] {
            #expect(
                FrameLayout(
                    pixelFormat: format, width: 4, height: 4,
                    planes: [.init(offset: 0, stride: 4), .init(offset: 16, stride: stride)]) == nil)
        }
    }
}
