import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct MediaTimeArithmeticTests {
    private func time(_ value: Int64, _ timescale: Int32) -> MediaTime { MediaTime(value: value, timescale: timescale) }

    @Test func sumOfTimesWithDifferentTimescalesIsExact() {
        let sum = time(1, 3) + time(1, 4)
        #expect(sum == time(7, 12) && sum.timescale == 12)
        #expect(time(1001, 24_000) + time(1, 48_000) == time(2003, 48_000))
    }

    @Test func threeThirdsOfASecondAreExactlyOneSecond() {
        #expect(time(1, 3) * 3 == time(1, 1))
        #expect(time(1, 3) + time(1, 3) + time(1, 3) == MediaTime(seconds: 1))
        #expect(MediaTime(seconds: 1.0 / 3) != time(1, 3))
        #expect(MediaTime(seconds: 1.0 / 3, preferredTimescale: 3) == time(1, 3))
    }

    @Test func subtractingALaterTimeGivesANegativeTime() {
        #expect(time(1, 2) - time(3, 4) == time(-1, 4))
        #expect((time(1, 2) - time(3, 4)).magnitude == time(1, 4))
        #expect(time(1, 90_000) - time(1, 90_000) == .zero)
    }

    @Test func sumIsRoundedIfItsCommonTimescaleExceeds31Bits() {
        let sum = time(1, 2_147_483_647) + time(1, 2_147_483_646)
        #expect(sum == time(2, .max))
        #expect(abs(sum.seconds - (time(1, 2_147_483_647).seconds + time(1, 2_147_483_646).seconds)) < 5e-10)
    }

    @Test func resultWhoseValueExceeds64BitsGetsASmallerTimescale() {
        let sum = time(.max, 4) + time(.max, 4)
        #expect(sum.isNumeric && sum.timescale == 2)
        #expect(sum.seconds == Double(Int64.max) / 2)
        #expect((time(.max, 1000) * 3).timescale == 250)
    }

    @Test func resultBeyond64BitsOfSecondsIsInfinite() {
        #expect(time(.max, 1) + time(1, 1) == .positiveInfinity)
        #expect(time(.min, 1) - time(1, 1) == .negativeInfinity)
        #expect(time(.max, 1) * -3 == .negativeInfinity)
        #expect(-time(.min, 1) == .positiveInfinity)
    }

    @Test func infiniteIndefiniteAndInvalidTimesPropagateThroughArithmetic() {
        #expect(.positiveInfinity + time(1, 1) == .positiveInfinity)
        #expect(time(1, 1) - .positiveInfinity == .negativeInfinity)
        #expect(.positiveInfinity + .negativeInfinity == MediaTime.invalid)
        #expect(.positiveInfinity - .positiveInfinity == MediaTime.invalid)
        #expect((.indefinite + time(1, 1)).isIndefinite && (-MediaTime.indefinite).isIndefinite)
        #expect(MediaTime.indefinite + .invalid == .invalid)
        #expect((MediaTime.indefinite * 2).isIndefinite && MediaTime.invalid * 2.0 == .invalid)
    }

    @Test func signOfTheFactorDeterminesTheSignOfAnInfiniteTime() {
        #expect(MediaTime.positiveInfinity * -2 == .negativeInfinity)
        #expect(MediaTime.negativeInfinity * -0.5 == .positiveInfinity)
        #expect(MediaTime.positiveInfinity * 0 == .invalid)
        #expect(MediaTime.positiveInfinity.magnitude == MediaTime.negativeInfinity.magnitude)
    }

    @Test func productWithAFractionIsRoundedToNanoseconds() {
        #expect(time(3, 1) * 0.5 == time(3, 2))
        #expect(time(1, 1) * (1.0 / 3) == time(333_333_333, 1_000_000_000))
        #expect(time(1, 1) * .nan == .invalid && time(1, 1) * .infinity == .invalid)
    }

    @Test(arguments: [
        (FloatingPointRoundingRule.towardZero, 1, -1), (.awayFromZero, 2, -2), (.up, 2, -1), (.down, 1, -2),
        (.toNearestOrEven, 2, -2), (.toNearestOrAwayFromZero, 2, -2),
    ])
    func roundingRuleAppliesToHalfUnits(
        _ rule: FloatingPointRoundingRule, _ positiveResult: Int64, _ negativeResult: Int64
    ) {
        #expect(time(3, 2).converted(toTimescale: 1, rounding: rule).value == positiveResult)
        #expect(time(-3, 2).converted(toTimescale: 1, rounding: rule).value == negativeResult)
    }

    @Test func toNearestOrEvenRoundsHalvesToEvenUnits() {
        #expect(time(1, 2).converted(toTimescale: 1, rounding: .toNearestOrEven) == .zero)
        #expect(time(-5, 2).converted(toTimescale: 1, rounding: .toNearestOrEven).value == -2)
    }

    @Test func convertedTimeHasTheRequestedTimescale() {
        let convertedTime = time(1, 24).converted(toTimescale: 90_000)
        #expect(convertedTime.value == 3750 && convertedTime.timescale == 90_000)
        #expect(time(.max, 1).converted(toTimescale: 2) == .positiveInfinity)
        #expect(time(1, 1).converted(toTimescale: 0) == .invalid)
        #expect(MediaTime.indefinite.converted(toTimescale: 600).isIndefinite)
    }

    @Test func subtractionUndoesAdditionForRandomTimes() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<2000 {
            let value = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &generator)
            let a = time(value, Int32.random(in: 1...192_000, using: &generator))
            let b = time(value / 7, Int32.random(in: 1...10_000, using: &generator))
            #expect(a - a == .zero && a + b == b + a && a + b - b == a, "\(a) \(b)")
            #expect((a < b) == (a - b < .zero), "\(a) \(b)")
        }
    }
}
