import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct PlaybackStatisticsTests {
    @Test func quantileIsTheUpperBoundOfItsHistogramBucket() {
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

    @Test(arguments: [(-1, 0.002048), (.nan, 0.002048), (.infinity, 0.032768), (2, 0.032768)] as [(Double, Double)])
    func fractionOutsideOfZeroToOneIsClamped(_ fraction: Double, _ bound: Double) {
        var times = TimeHistogram()
        for duration in [1_500_000, 30_000_000] as [Int64] { times.record(nanoseconds: duration) }
        #expect(PlaybackStatistics.Histogram(times).quantile(fraction) == bound)
    }

    @Test func quantileOfAnEmptyHistogramIsNil() {
        #expect(PlaybackStatistics.Histogram().quantile(0.5) == nil && PlaybackStatistics.Histogram().mean == nil)
    }

    @Test func largestAudioVideoOffsetIgnoresTheFirstSixtyFrames() {
        var synchronisation = PlaybackStatistics.Synchronisation()
        synchronisation.record(-0.5, afterFrames: 60)
        #expect(synchronisation.offset == -0.5 && synchronisation.largestOffset == 0)
        synchronisation.record(-0.25, afterFrames: 61)
        #expect(synchronisation.offset == -0.25 && synchronisation.largestOffset == 0.25)
        synchronisation.record(0.125, afterFrames: 62)
        #expect(synchronisation.offset == 0.125 && synchronisation.largestOffset == 0.25)
    }
}
