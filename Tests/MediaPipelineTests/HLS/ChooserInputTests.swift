import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct ChooserInputTests {
    private func input(rate: Double, buffered: Int64 = 1, count: Int = 1, segment: Int64 = 1) -> ChooserInput {
        ChooserInput(
            now: 0, bufferedDuration: buffered, bufferedSegmentCount: count, segmentDuration: segment,
            estimate: ThroughputEstimate(bitsPerSecond: 6_000_000, isTrusted: true), rate: rate)
    }

    @Test("An invalid playback rate counts as normal speed", arguments: [0, -2, Double.nan, .infinity, -.infinity])
    func invalidPlaybackRateCountsAsNormalSpeed(_ rate: Double) {
        #expect(input(rate: rate).rate == 1 && input(rate: rate).usableBitRate == 6_000_000)
    }

    @Test("The usable bit rate falls with the playback rate") func usableBitRateFallsWithThePlaybackRate() {
        #expect(input(rate: 2).usableBitRate == 3_000_000 && input(rate: 0.5).usableBitRate == 12_000_000)
    }

    @Test("Negative times and numbers are replaced") func negativeTimesAndNumbersAreReplaced() {
        let input = input(rate: 1, buffered: .min, count: -3, segment: -1)
        #expect(input.bufferedDuration == 0 && input.bufferedSegmentCount == 0 && input.segmentDuration == 1)
    }

    @Test(
        "Without a view the number of visible pixels has no limit, and for audio only it is less than that of any view")
    func visiblePixelCountDependsOnTheDestination() {
        let emptyView = VideoDestination.view(ChooserFixtures.view(0, 100))
        #expect(VideoDestination.unknown.visiblePixelCount == .infinity && emptyView.visiblePixelCount == 0)
        #expect(VideoDestination.audioOnly.visiblePixelCount < emptyView.visiblePixelCount)
        #expect(VideoDestination.view(ChooserFixtures.view(4, 5)).visiblePixelCount == 20)
    }

    @Test(
        "A download is mostly received from half of its known size on",
        arguments: [
            (499, 1000, false), (500, 1000, true), (0, 1, true), (1, 0, false), (1, nil, false), (5, -3, false),
            (-5, 1000, false), (.max, .max, true),
        ] as [(Int64, Int64?, Bool)])
    func downloadIsMostlyReceivedFromHalfOfItsSize(_ received: Int64, _ total: Int64?, _ isMostlyReceived: Bool) {
        let progress = DownloadProgress(
            variant: 0, receivedBytes: received, totalBytes: total, elapsed: -1, transferTime: nil,
            playableDuration: -1)
        #expect(progress.isMostlyReceived == isMostlyReceived)
        #expect(progress.elapsed == 0 && progress.playableDuration == 0 && progress.receivedBytes >= 0)
    }
}
