import SwiftPlay
import SystemCalls
import Testing

@Suite struct PlaybackStatisticsTests {
    @Test func quantilesNameTheBucketThatTheyLieIn() {
        var times = TimeHistogram()
        for _ in 0..<9 { times.record(nanoseconds: 1_500_000) }
        times.record(nanoseconds: 30_000_000)
        let histogram = PlaybackStatistics.Histogram(times)
        #expect(histogram.count == 10)
        #expect(histogram.quantile(0.5) == 0.002048)
        #expect(histogram.quantile(0.9) == 0.002048)
        #expect(histogram.quantile(1) == 0.032768)
        #expect(abs((histogram.mean ?? 0) - 0.00435) < 1e-9)
    }

    @Test func ofNothingThereIsNoQuantile() {
        #expect(PlaybackStatistics.Histogram().quantile(0.5) == nil && PlaybackStatistics.Histogram().mean == nil)
    }
}
