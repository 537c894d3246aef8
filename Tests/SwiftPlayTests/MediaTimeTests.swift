import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct MediaTimeTests {
    @Test func timesAreEqualAcrossTimescales() {
        #expect(MediaTime(value: 1, timescale: 2) == MediaTime(value: 500, timescale: 1000))
        #expect(MediaTime(value: 1, timescale: 2).hashValue == MediaTime(value: 500, timescale: 1000).hashValue)
        #expect(MediaTime(value: 1, timescale: 3) != MediaTime(value: 333_333_333, timescale: 1_000_000_000))
    }

    @Test func comparisonIsExactForTimesThatAreEqualAsDoubles() {
        let a = MediaTime(value: .max, timescale: 1), b = MediaTime(value: .max - 1, timescale: 1)
        #expect(b < a && !(a < b) && a != b)
        #expect(MediaTime(value: .min, timescale: 1) < MediaTime(value: .max, timescale: .max))
        #expect(MediaTime(value: -1, timescale: 3) < MediaTime(value: -1, timescale: 4))
        #expect(MediaTime(value: .max, timescale: .max) < MediaTime(value: .max, timescale: .max - 1))
    }

    @Test func comparisonSortsInvalidBeforeNumericBeforeInfiniteBeforeIndefinite() {
        let latestTime = MediaTime(value: .max, timescale: 1), earliestTime = MediaTime(value: .min, timescale: 1)
        #expect(MediaTime.invalid < earliestTime && latestTime < .positiveInfinity)
        #expect(MediaTime.positiveInfinity < .indefinite)
        for time in [MediaTime.invalid, .indefinite, .positiveInfinity] { #expect(time == time && !(time < time)) }
        #expect(MediaTime.invalid != .zero && MediaTime.indefinite != .invalid)
    }

    @Test func timeWithANonPositiveTimescaleIsInvalid() {
        for scale in [0, -1, .min] as [Int32] {
            let time = MediaTime(value: 1, timescale: scale)
            #expect(!time.isValid && !time.isNumeric && time.seconds.isNaN && time.nanoseconds == nil)
        }
    }

    @Test func secondsAreRoundedToTheTimescale() {
        #expect(MediaTime(seconds: 0.1, preferredTimescale: 600) == MediaTime(value: 60, timescale: 600))
        #expect(MediaTime(seconds: -1.5) == MediaTime(value: -3, timescale: 2))
        #expect(MediaTime(seconds: 1.26, preferredTimescale: 10).value == 13)
        #expect(MediaTime(seconds: .infinity) == .positiveInfinity)
        #expect(MediaTime(seconds: -.infinity) == .negativeInfinity)
        for seconds in [Double.nan, 1e300, 1e10] { #expect(!MediaTime(seconds: seconds).isValid, "\(seconds)") }
        #expect(!MediaTime(seconds: 1, preferredTimescale: 0).isValid)
        #expect(MediaTime(value: 3, timescale: 2).seconds == 1.5)
    }

    @Test func conversionToNanosecondsDiscardsFractions() {
        #expect(MediaTime(value: 1001, timescale: 30_000).nanoseconds == 33_366_666)
        #expect(MediaTime(value: -1001, timescale: 30_000).nanoseconds == -33_366_666)
        #expect(MediaTime(value: 90_000 * 86_400, timescale: 90_000).nanoseconds == 86_400_000_000_000)
        #expect(MediaTime(nanoseconds: .max / 2).nanoseconds == .max / 2)
        #expect(MediaTime(nanoseconds: -7).nanoseconds == -7)
        #expect(MediaTime.zero.nanoseconds == 0)
    }

    @Test func hugeAndNonNumericTimesHaveNoNanosecondValue() {
        for (value, scale) in [(Int64.max, 1), (.min, 1), (9_000_000_001, 1), (.max, 1000), (.min, 1000)]
            as [(Int64, Int32)]
        {
            #expect(MediaTime(value: value, timescale: scale).nanoseconds == nil, "\(value)/\(scale)")
        }
        for time in [MediaTime.invalid, .indefinite, .positiveInfinity] { #expect(time.nanoseconds == nil) }
    }

    @Test func nanosecondsOfRandomTimesNeverTrapAndAgreeWithSeconds() {
        var random = SeededGenerator.printingSeed()
        for _ in 0..<20_000 {
            let value = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...60, using: &random)
            let timescale = Int32.random(in: 2 ... .max, using: &random) >> Int32.random(in: 0...28, using: &random) | 2
            let time = MediaTime(value: value, timescale: timescale)
            guard let nanoseconds = time.nanoseconds else {
                #expect(abs(time.seconds) > 6e9, "\(time)")
                continue
            }
            #expect(abs(Double(nanoseconds) / 1e9 - time.seconds) <= 1e-6 * max(1, abs(time.seconds)))
        }
    }
}
