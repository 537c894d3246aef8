import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SuddenThroughputDropTests {
    /// Returns a number of seconds in nanoseconds.
    private static func seconds(_ seconds: Double) -> Int64 { Int64(nanosecondsOf: seconds) }

    /// Returns the measurement of a segment of four seconds that took `time` seconds.
    private func sample(bytes: Double, time: Double) -> TransferSample {
        TransferSample(
            bytes: Int64(bytes), latency: 0, transferTime: Self.seconds(time), mediaDuration: Self.seconds(4))
    }

    @Test("A link whose rate drops from 5 to 0.5 Mb/s within a segment of 1080p causes no stall")
    func suddenThroughputDropCausesNoStall() throws {
        let link = LinkTrace(steps: [(2, 5), (1, 0.5)])
        var chooser = try #require(VariantChooser(ChooserFixtures.ladder))
        var estimator = ThroughputEstimator()
        for _ in 0..<5 { estimator.record(sample(bytes: 4_000_000, time: 4)) }
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 9))
        #expect(chooser.currentIndex == 4)

        // The buffer holds 6 s of media when the download starts.
        var (variant, start, window) = (4, 0.0, DownloadRateWindow())
        var (wastedBytes, firstStopTime) = (0.0, Double.infinity)
        var end: Double?
        for step in 1...100 where end == nil {
            let time = Double(step) / 10
            let totalBytes = Double(ChooserFixtures.ladder[variant].bandwidth) / 2
            let receivedBytes = (link.bits(until: time) - link.bits(until: start)) / 8
            if receivedBytes >= totalBytes {
                end = time
                continue
            }
            estimator.setProvisionalSample(sample(bytes: receivedBytes, time: time - start))
            window.update(bytes: Int64(receivedBytes), at: Self.seconds(time))
            var progress = ChooserFixtures.progress(
                variant, received: Int64(receivedBytes), total: Int64(totalBytes), elapsed: time - start,
                playable: 6 - time + receivedBytes / totalBytes * 4)
            progress.recentBitsPerSecond = window.bitsPerSecond
            var input = ChooserFixtures.input(buffered: 6 - time, megabits: 1)
            input.estimate = estimator.estimate
            guard let choice = chooser.abandon(progress, input) else { continue }
            estimator.record(sample(bytes: receivedBytes, time: time - start))
            wastedBytes += receivedBytes
            firstStopTime = min(firstStopTime, time)
            (variant, start, window) = (choice.variant, time, DownloadRateWindow())
        }
        #expect(firstStopTime <= 4.5)
        #expect(try #require(end) <= 6)
        #expect(wastedBytes <= 1_400_000)
    }
}
