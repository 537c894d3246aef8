import HTTPTransfer
import Testing

@testable import MediaPipeline
@testable import SwiftPlay

@Suite struct PlaybackLogTests {
    private static let second: Int64 = 1_000_000_000
    private static let clip = PlaybackLog.Item(uri: "clip")

    /// Returns a download run with (`number` + 1) * 100 bytes, whose media begins at `start` seconds.
    private func makeRun(_ number: Int, from start: Int64 = 0, isVariantChange: Bool = false) -> DownloadRun {
        var run = DownloadRun(number: number, start: start * Self.second)
        run.isVariantChange = isVariantChange
        (run.byteCount, run.address) = (Int64(number + 1) * 100, "variant\(number)")
        return run
    }

    @Test func eachEventOfALocalFileCountsItsOwnBytes() {
        var log = PlaybackLog()
        log.recordOpening(at: 0)
        let eventCountAtFirstStart = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 0, now: 1)
        #expect(eventCountAtFirstStart == 1)
        log.closePeriod(at: 1, byteCount: 1000, droppedFrameCount: 0, now: 2)
        // A seek during a pause starts no access log event. The next event counts the bytes that the seek reads.
        log.closePeriod(at: 2, byteCount: 1200, droppedFrameCount: 0, now: 3)
        let eventCountAtSecondStart = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 0, now: 4)
        #expect(eventCountAtSecondStart == 1)
        log.setByteCount(1300)
        #expect(log.entries.map(\.event.numberOfBytesTransferred) == [1000, 300])
        log.closePeriod(at: 1, byteCount: 1500, droppedFrameCount: 0, now: 6)
        #expect(log.entries.map(\.event.numberOfBytesTransferred) == [1000, 500])
    }

    @Test func reopeningAnItemRestartsTheByteCount() {
        var log = PlaybackLog()
        log.recordOpening(at: 0)
        log.recordReadiness(at: Self.second / 2)
        _ = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 0, now: Self.second)
        // A second player opens the item while the first player is still closing it.
        log.recordOpening(at: 3 * Self.second)
        #expect(log.entries.map(\.event.durationWatched) == [2])
        _ = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 0, now: 4 * Self.second)
        log.closePeriod(at: Self.second, byteCount: 700, droppedFrameCount: 0, now: 5 * Self.second)
        #expect(log.entries.map(\.event.numberOfBytesTransferred) == [-1, 700])
        #expect(log.entries.map(\.event.durationWatched) == [2, 1])
        #expect(log.entries.map(\.event.startupTime) == [0.5, -1])
    }

    @Test("media that the clock has passed before a stall was noticed counts once")
    func mediaBeforeAStallCountsOnce() {
        var log = PlaybackLog()
        log.recordOpening(at: 0)
        _ = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 0, now: 0)
        log.advance(to: 3 * Self.second, droppedFrameCount: 0, now: 3 * Self.second)
        log.recordStop(at: 2 * Self.second, droppedFrameCount: 0, now: 3 * Self.second)
        _ = log.recordStart(of: Self.clip, at: 2 * Self.second, droppedFrameCount: 0, now: 5 * Self.second)
        log.closePeriod(at: 6 * Self.second, byteCount: nil, droppedFrameCount: 0, now: 9 * Self.second)
        #expect(log.entries.map(\.event.durationWatched) == [6])
        // A seek begins a new period, which counts earlier media again.
        _ = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 0, now: 10 * Self.second)
        log.closePeriod(at: Self.second, byteCount: nil, droppedFrameCount: 0, now: 11 * Self.second)
        #expect(log.entries.map(\.event.durationWatched) == [6, 1])
    }

    @Test("played media counts for the variant that was visible, although other variants are downloaded ahead")
    func playbackCountsForTheVisibleVariant() {
        var log = PlaybackLog()
        log.recordOpening(at: 0)
        let eventCountBeforeStart = log.update([makeRun(0), makeRun(1, from: 4, isVariantChange: true)])
        #expect(eventCountBeforeStart == 0)
        // Both variants were downloaded before playback began.
        let eventCountAtStart = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 5, now: 0)
        #expect(eventCountAtStart == 2)
        let eventCountAfterStart = log.update([
            makeRun(0), makeRun(1, from: 4, isVariantChange: true), makeRun(2, from: 6, isVariantChange: true),
        ])
        #expect(eventCountAfterStart == 1)
        #expect(log.nextEventStart(after: 0) == 4 * Self.second)
        log.advance(to: 3 * Self.second, droppedFrameCount: 7, now: 3 * Self.second)
        #expect(log.entries.map { $0.event.playbackStartDate != nil } == [true, false, false])
        log.advance(to: 5 * Self.second, droppedFrameCount: 7, now: 4 * Self.second)
        log.recordStall(at: 5 * Self.second)
        // From 3 s on, the rate was 2: 7 s of media were played in 5 s.
        log.recordStop(at: 7 * Self.second, droppedFrameCount: 8, now: 5 * Self.second)
        let events = log.entries.map(\.event)
        #expect(events.map(\.durationWatched) == [4, 2, 1])
        #expect(events.map(\.numberOfDroppedVideoFrames) == [2, 1, 0])
        #expect(events.map(\.numberOfStalls) == [0, 1, 0])
        #expect(events.map(\.numberOfBytesTransferred) == [100, 200, 300])
        #expect(events.map(\.uri) == ["variant0", "variant1", "variant2"])
        #expect(events.map(\.playbackStartOffset) == [0, 4, 6])
        #expect(events.allSatisfy { $0.playbackStartDate != nil } && log.nextEventStart(after: 7 * Self.second) == nil)
    }

    @Test("every download is counted once, also before and during seeks") func eachDownloadIsCountedOnce() {
        var log = PlaybackLog()
        log.recordOpening(at: 0)
        _ = log.update([makeRun(0)])
        _ = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 0, now: 0)
        log.closePeriod(at: 1, byteCount: nil, droppedFrameCount: 0, now: 1)
        // The source changes the variant before it receives the seek to 60 s. Then the program seeks to 90 s.
        let runs = [makeRun(0), makeRun(1, from: 4, isVariantChange: true), makeRun(2, from: 60), makeRun(3, from: 90)]
        let eventCountBeforeStart = log.update(runs)
        #expect(eventCountBeforeStart == 0)
        let eventCountAtStart = log.recordStart(of: Self.clip, at: 90 * Self.second, droppedFrameCount: 0, now: 2)
        #expect(eventCountAtStart == 1)
        let eventCountAfterStart = log.update(runs + [makeRun(4, from: 94, isVariantChange: true)])
        #expect(eventCountAfterStart == 1)
        #expect(log.entries.map(\.event.numberOfBytesTransferred) == [100, 900, 500])
        #expect(log.entries.map(\.event.playbackStartOffset) == [0, 90, 94])
    }

    @Test func logKeepsALimitedNumberOfEvents() {
        var log = PlaybackLog()
        log.recordOpening(at: 0)
        _ = log.recordStart(of: Self.clip, at: 0, droppedFrameCount: 0, now: 0)
        for number in 1...1200 { _ = log.update([makeRun(number, from: Int64(number), isVariantChange: true)]) }
        for number in 1...1200 { log.recordError(uri: "clip", code: number, "fault") }
        #expect(log.entries.count == PlaybackLog.eventLimit && log.errors.count == PlaybackLog.eventLimit)
        log.advance(to: 1300 * Self.second, droppedFrameCount: 0, now: 1)
        #expect(log.entries.last?.event.durationWatched == 100)
    }

    @Test func downloadRunSetsTheFieldsOfAnEvent() {
        var run = DownloadRun(number: 0, start: 0)
        (run.mediaRequestCount, run.byteCount, run.transferTime) = (3, 1000, 2 * Self.second)
        (run.serverAddress, run.serverAddressChangeCount, run.overdueCount) = ("10.0.0.1", 1, 2)
        (run.totalSegmentDuration, run.expectedBitRate) = (6 * Self.second, 7000)
        run.variant = StreamStatus.Variant(index: 0, bandwidth: 5000, averageBandwidth: 4000)
        run.rates.add(1000)
        run.rates.add(3000)
        run.audio.add(100, duration: Self.second)
        var event = AccessLog.Event(
            uri: "item", playbackSessionID: "", playbackStartOffset: 0, playbackType: "VOD")
        event.setDownloads(run)
        #expect(event.uri == "item" && event.serverAddress == "10.0.0.1")
        #expect(event.numberOfServerAddressChanges == 1 && event.numberOfMediaRequests == 3)
        #expect(event.observedBitrate == 4000 && event.transferDuration == 2 && event.downloadOverdue == 2)
        #expect(event.observedMinBitrate == 1000 && event.observedMaxBitrate == 3000)
        #expect(event.observedBitrateStandardDeviation == 1000 && event.segmentsDownloadedDuration == 6)
        #expect(event.indicatedBitrate == 5000 && event.indicatedAverageBitrate == 4000)
        #expect(event.averageVideoBitrate == -1 && event.averageAudioBitrate == 800 && event.switchBitrate == 7000)
        #expect(event.mediaRequestsWWAN == 0)
    }

    @Test(
        "failed requests have the numbers of HTTP and of URLError",
        arguments: [
            (.status(404), "HTTP", 404), (.timeout, "NSURLErrorDomain", -1001),
            (.untrusted, "NSURLErrorDomain", -1202), (.unknownHost, "NSURLErrorDomain", -1003),
        ] as [(HTTPError.Code, String, Int)])
    func failedRequestsHaveTheNumbersOfURLError(code: HTTPError.Code, domain: String, number: Int) {
        var log = PlaybackLog()
        log.recordFailure(TransferFailure(HTTPError(code, "https://a/b", "went wrong"), serverAddress: "10.0.0.1"))
        let event = log.errors[0]
        #expect(event.errorDomain == domain && event.errorStatusCode == number && event.uri == "https://a/b")
        #expect(event.errorComment == "went wrong" && event.serverAddress == "10.0.0.1")
        #expect(event.playbackSessionID == log.sessionID)
    }
}
