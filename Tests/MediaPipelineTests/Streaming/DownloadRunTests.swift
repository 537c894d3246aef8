import Testing

@testable import MediaPipeline

@Suite struct DownloadRunTests {
    @Test func statisticsIgnoreInvalidRates() {
        var statistics = RateStatistics()
        for rate in [Double.nan, .infinity, -.infinity, -1] { statistics.add(rate) }
        #expect(statistics == RateStatistics() && statistics.standardDeviation == nil)
        statistics.add(0)
        #expect(statistics.count == 1 && statistics.standardDeviation == 0)
    }

    @Test func emptyStatisticsChangeNoOthers() {
        var statistics = RateStatistics()
        for rate in [3.0, 5] { statistics.add(rate) }
        var sum = statistics
        sum.add(RateStatistics())
        #expect(sum == statistics)
        var other = RateStatistics()
        other.add(statistics)
        #expect(other == statistics && other.smallest == 3 && other.largest == 5)
    }

    @Test func mediaWithoutAPlayTimeHasNoBitRate() {
        var amount = MediaAmount()
        #expect(amount.bitRate == nil)
        amount.add(1000, duration: 0)
        #expect(amount.bitRate == nil)
        amount.add(1000, duration: 4_000_000_000)
        #expect(amount.bitRate == 4000)
        var sum = amount
        sum.add(amount)
        #expect(sum.byteCount == 4000 && sum.bitRate == 4000)
    }

    @Test("a sum of runs has the server and the variant of the later run, if it has one")
    func sumHasTheNewestServerAndVariant() {
        var run = DownloadRun(number: 3, start: 7)
        (run.serverAddress, run.address, run.byteCount) = ("1.1.1.1", "http://a/", 5)
        run.variant = StreamStatus.Variant(index: 1, bandwidth: 1000)
        var later = DownloadRun(number: 4, start: 9)
        (later.byteCount, later.overdueCount, later.isVariantChange) = (6, 2, true)
        run.add(later)
        #expect(run.number == 3 && run.start == 7 && !run.isVariantChange)
        #expect(run.serverAddress == "1.1.1.1" && run.variant?.index == 1 && run.address == "http://a/")
        (later.serverAddress, later.variant) = ("2.2.2.2", StreamStatus.Variant(index: 0, bandwidth: 10))
        run.add(later)
        #expect(run.serverAddress == "2.2.2.2" && run.variant?.index == 0 && run.address == "http://a/")
        #expect(run.byteCount == 17 && run.overdueCount == 4)
    }
}
