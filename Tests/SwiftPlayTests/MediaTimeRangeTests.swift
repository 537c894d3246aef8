import Testing

@testable import SwiftPlay

@Suite struct MediaTimeRangeTests {
    private func seconds(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1) }

    @Test func rangeDurationIsEndMinusStart() {
        let range = MediaTimeRange(start: seconds(3), end: seconds(10))
        #expect(range.duration == seconds(7) && range.end == seconds(10))
    }

    @Test func endBeforeStartGivesAnEmptyRange() {
        let range = MediaTimeRange(start: seconds(10), end: seconds(3))
        #expect(range.duration == .zero && range.end == seconds(10))
        #expect(!range.contains(seconds(10)))
    }

    @Test func rangeExcludesItsEnd() {
        let range = MediaTimeRange(start: seconds(1), duration: seconds(2))
        #expect(range.contains(seconds(1)) && range.contains(MediaTime(value: 2999, timescale: 1000)))
        #expect(!range.contains(seconds(3)) && !range.contains(MediaTime(value: 999, timescale: 1000)))
    }

    @Test func infiniteRangeContainsAllTimesAfterItsStart() {
        let range = MediaTimeRange(start: seconds(1), end: .positiveInfinity)
        #expect(range.duration == .positiveInfinity && range.end == .positiveInfinity)
        #expect(range.contains(seconds(1_000_000)) && !range.contains(.zero))
        #expect(range.isValid)
    }

    @Test func rangeWithAnIndefiniteEndHasAnIndefiniteDuration() {
        let range = MediaTimeRange(start: .zero, end: .indefinite)
        #expect(range.duration.isIndefinite && range.end.isIndefinite && range.isValid)
    }

    @Test func invalidBoundMakesTheRangeInvalid() {
        #expect(!MediaTimeRange(start: .invalid, end: seconds(1)).isValid)
        #expect(!MediaTimeRange(start: .zero, end: .invalid).isValid)
        #expect(!MediaTimeRange(start: .positiveInfinity, duration: seconds(1)).isValid)
        #expect(!MediaTimeRange.invalid.isValid)
    }

    @Test func rangeEndBeyond64BitsOfSecondsIsInfinite() {
        let largeTime = seconds(.max)
        #expect(MediaTimeRange(start: largeTime, duration: largeTime).end == .positiveInfinity)
    }

    @Test func rangeEndIsExactAcrossTimescales() {
        let range = MediaTimeRange(
            start: MediaTime(value: 1, timescale: 3), duration: MediaTime(value: 1, timescale: 90_000))
        #expect(range.end == MediaTime(value: 30_001, timescale: 90_000))
        #expect(MediaTimeRange(start: range.start, end: range.end).duration == range.duration)
        #expect(!range.contains(range.end) && range.contains(range.start))
    }

    @Test func rangeLongerThan64BitsOfNanosecondsIsNotEmpty() {
        let range = MediaTimeRange(start: seconds(-8_000_000_000), end: seconds(8_000_000_000))
        #expect(range.contains(.zero), "\(range)")
        let reversedRange = MediaTimeRange(start: seconds(8_000_000_000), end: seconds(-8_000_000_000))
        #expect(reversedRange.duration == .zero)
    }

    @Test func rangesAreEqualAcrossTimescales() {
        let a = MediaTimeRange(start: seconds(1), duration: seconds(2))
        let b = MediaTimeRange(
            start: MediaTime(value: 1000, timescale: 1000), duration: MediaTime(value: 600, timescale: 300))
        #expect(a == b && Set([a, b]).count == 1)
    }

    @Test func descriptionContainsStartAndEnd() {
        #expect("\(MediaTimeRange(start: seconds(1), duration: seconds(2)))" == "1.0 s to 3.0 s")
    }
}
