import SystemCalls
import Testing

@Suite struct TimeHistogramExtremesTests {
    @Test func histogramSumCoversAllRecordedTimes() {
        var histogram = TimeHistogram()
        for time in [1000, 2000, 3_000_000] as [Int64] { histogram.record(nanoseconds: time) }
        #expect(histogram.sum == 3_003_000 && histogram.count == 3)
    }

    @Test func negativeTimeCountsAsZero() {
        var histogram = TimeHistogram()
        histogram.record(nanoseconds: .min)
        #expect(histogram.sum == 0 && histogram.count == 1)
    }

    @Test func eachBucketBoundIsTwiceThePreviousBound() {
        for bucket in 0..<40 {
            let bound = TimeHistogram.upperBound(ofBucket: bucket)
            #expect(TimeHistogram.upperBound(ofBucket: bucket + 1) == 2 * bound)
        }
        #expect(TimeHistogram.upperBound(ofBucket: 0) == 1000)
    }

    @Test func aBucketOutOfRangeHasTheNearestBound() {
        #expect(TimeHistogram.upperBound(ofBucket: -5) == 1000)
        #expect(TimeHistogram.upperBound(ofBucket: 1000) == TimeHistogram.upperBound(ofBucket: 40))
    }

    @Test func sumOfLongTimesDoesNotOverflow() {
        var histogram = TimeHistogram()
        for _ in 0..<3 { histogram.record(nanoseconds: .max) }
        #expect(histogram.count == 3)
    }
}
