import Testing

@testable import MediaPipeline

@Suite struct SuddenFallTests {
    private static func seconds(_ seconds: Double) -> Int64 { Int64(nanosecondsOf: seconds) }

    /// Returns the measurement of a segment of four seconds that took `time` seconds.
    private func sample(bytes: Double, time: Double) -> TransferSample {
        TransferSample(
            bytes: Int64(bytes), latency: 0, transferTime: Self.seconds(time), mediaDuration: Self.seconds(4))
    }

    @Test("A link that falls from 5 to 0.5 Mb/s within a segment of 1080p causes no stall")
    func suddenFallOfTheLinkCausesNoStall() throws {
        let link = LinkTrace(steps: [(2, 5), (1, 0.5)])
        var chooser = try #require(VariantChooser(ChooserFixtures.ladder))
        var estimator = ThroughputEstimator()
        for _ in 0..<5 { estimator.record(sample(bytes: 4_000_000, time: 4)) }
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 9))
        #expect(chooser.current == 4)

        // The buffer holds 6 s of media when the download starts.
        var (variant, start, window) = (4, 0.0, DownloadRateWindow())
        var (wasted, firstStop) = (0.0, Double.infinity)
        var end: Double?
        for step in 1...100 where end == nil {
            let time = Double(step) / 10
            let total = Double(ChooserFixtures.ladder[variant].bandwidth) / 2
            let received = (link.bits(until: time) - link.bits(until: start)) / 8
            if received >= total {
                end = time
                continue
            }
            estimator.setProvisionalSample(sample(bytes: received, time: time - start))
            window.update(bytes: Int64(received), at: Self.seconds(time))
            var progress = ChooserFixtures.progress(
                variant, received: Int64(received), total: Int64(total), elapsed: time - start,
                playable: 6 - time + received / total * 4)
            progress.recentBitsPerSecond = window.bitsPerSecond
            var input = ChooserFixtures.input(buffered: 6 - time, megabits: 1)
            input.estimate = estimator.estimate
            guard let choice = chooser.abandon(progress, input) else { continue }
            estimator.record(sample(bytes: received, time: time - start))
            wasted += received
            firstStop = min(firstStop, time)
            (variant, start, window) = (choice.variant, time, DownloadRateWindow())
        }
        #expect(firstStop <= 4.5)
        #expect(try #require(end) <= 6)
        #expect(wasted <= 1_400_000)
    }
}
