import HTTPTransfer
import Testing

@testable import MediaPipeline

/// Tests the record of the downloads of an item. The record is divided into runs: a run ends at a seek and at a change
/// of the variant.
@Suite struct DownloadRecordTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000

    private func variant(_ index: Int) -> StreamStatus.Variant { StreamStatus.Variant(index: index, bandwidth: 1000) }

    /// Returns the measurement of a downloaded segment.
    ///
    /// - Parameters:
    ///   - seconds: The time from the request to the last byte, in seconds.
    ///   - duration: The duration of the segment's media, in seconds.
    private func segment(
        _ bytes: Int64, seconds: Double, duration: Int64 = 2, content: SegmentDownload.Content = .main,
        isComplete: Bool = true
    ) -> SegmentDownload {
        let time = Int64(seconds * 1e9)
        return SegmentDownload(
            content: content,
            sample: TransferSample(
                bytes: bytes, latency: time / 2, transferTime: time - time / 2, mediaDuration: duration * Self.second),
            isComplete: isComplete)
    }

    @Test func transferTimeExcludesPauses() {
        var record = DownloadRecord()
        record.handle(.began(isMedia: true), at: 10)
        record.handle(.began(isMedia: false), at: 20)
        record.handle(.paused, at: 30)
        record.handle(.ended(wasPaused: false, uncounted: 0, failure: nil), at: 50)
        // From time 50 to time 100 the only transfer is paused; this time is not counted.
        record.handle(.resumed, at: 100)
        record.handle(.received(7), at: 110)
        record.handle(.paused, at: 120)
        record.handle(.ended(wasPaused: true, uncounted: 5, failure: nil), at: 200)
        record.handle(.began(isMedia: true), at: 300)
        let run = record.runs(at: 310)[0]
        #expect(run.transferTime == 40 + 20 + 10 && run.mediaRequestCount == 2 && run.byteCount == 12)
    }

    @Test func variantChangesAndSeeksStartRuns() {
        var record = DownloadRecord()
        record.handle(.began(isMedia: true), at: 0)
        record.markRootAsPlaylist()
        var areVariantChanges = [record.requestSegment(of: variant(1), "b", from: 0, expectedBitRate: 5, at: 10)]
        areVariantChanges.append(record.requestSegment(of: variant(1), "b", from: 2, expectedBitRate: 5, at: 20))
        record.handle(.received(100), at: 30)
        areVariantChanges.append(record.requestSegment(of: variant(0), "a", from: 4, expectedBitRate: 3, at: 40))
        record.handle(.received(50), at: 45)
        record.seek(to: 9, at: 50)
        areVariantChanges.append(record.requestSegment(of: variant(1), "b", from: 8, expectedBitRate: 5, at: 60))
        #expect(areVariantChanges == [false, false, true, false])
        let runs = record.runs(at: 70)
        #expect(runs.map(\.number) == [0, 1, 2] && runs.map(\.start) == [0, 4, 9])
        #expect(runs.map(\.isVariantChange) == [false, true, false])
        #expect(runs.map(\.expectedBitRate) == [nil, 3, nil] && runs.map(\.address) == ["b", "a", "b"])
        #expect(runs.map(\.byteCount) == [100, 50, 0] && runs.map(\.transferTime) == [40, 10, 20])
        #expect(runs[0].mediaRequestCount == 0)
    }

    @Test func segmentsAreAddedToTheStatistics() {
        var record = DownloadRecord()
        record.add(segment(1000, seconds: 1))
        record.add(segment(3000, seconds: 1))
        record.add(segment(500, seconds: 2.5, content: .audio))
        record.add(segment(100, seconds: 1, isComplete: false))
        record.add(segment(100, seconds: 1, content: .other))
        let run = record.runs(at: 0)[0]
        #expect(run.totalSegmentDuration == 8 * Self.second && run.overdueCount == 2)
        #expect(run.rates.count == 4 && run.rates.smallest == 800 && run.rates.largest == 24_000)
        #expect(run.main.bitRate == 8000 && run.audio.bitRate == 2000)
    }

    @Test("the rate of a file is sampled once for each second of transfer") func rateOfAFileIsSampledEachSecond() {
        var record = DownloadRecord()
        record.handle(.began(isMedia: true), at: 0)
        for tenth in 1...25 { record.handle(.received(tenth <= 10 ? 100 : 200), at: Int64(tenth) * Self.second / 10) }
        let run = record.runs(at: 0)[0]
        #expect(run.rates.count == 2 && run.rates.smallest == 8000 && run.rates.largest == 16_000)
    }

    @Test func serverAddressesAreComparedForEachHost() {
        var record = DownloadRecord()
        for (host, address) in [("a", "1"), ("b", "2"), ("a", "1"), ("a", "3"), ("b", ""), ("b", "2")] {
            record.handle(.responded(host: host, serverAddress: address), at: 0)
        }
        let run = record.runs(at: 0)[0]
        #expect(run.serverAddress == "2" && run.serverAddressChangeCount == 1)
    }

    @Test func numberOfRunsIsBounded() {
        var record = DownloadRecord()
        for time in 1...1500 { record.seek(to: Int64(time), at: 0) }
        #expect(record.runs.count == DownloadRecord.runLimit && record.runs.last?.number == 1500)
    }

    @Test("the statistics of two parts, added together, equal the statistics of all values", arguments: [0, 1, 4, 9])
    func addedStatisticsEqualTheWhole(split: Int) {
        let rates = [3.0, 1, 4, 1, 5, 9, 2, 6, 5]
        var wholeStatistics = RateStatistics(), firstPart = RateStatistics(), secondPart = RateStatistics()
        for rate in rates { wholeStatistics.add(rate) }
        for rate in rates[..<split] { firstPart.add(rate) }
        for rate in rates[split...] { secondPart.add(rate) }
        firstPart.add(secondPart)
        #expect(firstPart.count == 9 && abs(firstPart.mean - 4) < 1e-9)
        #expect(firstPart.smallest == 1 && firstPart.largest == 9)
        let deviation = (rates.map { ($0 - 4) * ($0 - 4) }.reduce(0, +) / 9).squareRoot()
        #expect(abs((firstPart.standardDeviation ?? 0) - deviation) < 1e-9)
        #expect(abs((wholeStatistics.standardDeviation ?? 0) - deviation) < 1e-9)
    }
}
