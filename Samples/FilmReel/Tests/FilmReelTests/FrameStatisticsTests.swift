import Testing

@testable import FilmReel

@Suite struct FrameStatisticsTests {
    @Test func rateAndWorstIntervalAreComputed() {
        var statistics = FrameStatistics()
        #expect(statistics.rate == 0)
        for time in [5.0, 5.016, 5.032, 5.064, 5.080] { statistics.add(time) }
        #expect(statistics.intervalCount == 4)
        #expect(abs(statistics.rate - 50) < 0.001)
        #expect(abs(statistics.worstInterval - 0.032) < 0.000001)
        #expect(statistics.longIntervalCount == 1)
    }
}
