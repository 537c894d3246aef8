import SystemCalls
import Testing

@Suite struct TimeHistogramTests {
    @Test func eachTimeLiesBetweenTheBoundsOfItsBucket() {
        for nanoseconds: Int64 in [0, 999, 1000, 1999, 2000, 3_500_000, 16_666_667, 4_000_000_000] {
            var histogram = TimeHistogram()
            histogram.record(nanoseconds: nanoseconds)
            let bucket = histogram.counts.firstIndex(of: 1) ?? -1
            #expect(nanoseconds < TimeHistogram.upperBound(ofBucket: bucket))
            #expect(bucket == 0 || nanoseconds >= TimeHistogram.upperBound(ofBucket: bucket - 1))
        }
    }

    @Test func extremeTimesAreCountedInTheFirstOrLastHistogramBucket() {
        var histogram = TimeHistogram()
        histogram.record(nanoseconds: -5)
        histogram.record(nanoseconds: .max)
        #expect(histogram.count == 2 && histogram.counts.first == 1 && histogram.counts.last == 1)
    }
}
