import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct ThroughputEstimatorTests {
    /// Returns a number of seconds in nanoseconds.
    private static func seconds(_ seconds: Double) -> Int64 { Int64(nanosecondsOf: seconds) }

    /// Returns the measurement of a segment of `media` seconds that arrived at `megabits` Mb/s.
    private func sample(
        bytes: Int64 = 500_000, megabits: Double, latency: Double = 0.05, media: Double = 4
    ) -> TransferSample {
        TransferSample(
            bytes: bytes, latency: Self.seconds(latency),
            transferTime: Self.seconds(Double(bytes) * 8 / (megabits * 1_000_000)), mediaDuration: Self.seconds(media))
    }

    /// Returns whether an estimate is approximately `megabits` Mb/s.
    private func isNear(_ estimate: ThroughputEstimate, _ megabits: Double) -> Bool {
        abs(estimate.bitsPerSecond / 1_000_000 - megabits) < 0.001
    }

    @Test("The defaults are the documented constants") func defaultParametersAreTheDocumentedConstants() {
        let parameters = ThroughputParameters()
        #expect(parameters.fastHalfLife == 3_000_000_000 && parameters.slowHalfLife == 9_000_000_000)
        #expect(parameters.minimumSampleBytes == 16_384 && parameters.trustedBytes == 128_000)
        #expect(parameters.minimumWeightFraction == 0.5 && parameters.initialBitsPerSecond == 1_000_000)
        #expect(parameters.rememberedAgeLimit == 600_000_000_000 && parameters.rememberedThroughputFraction == 0.6)
    }

    @Test("The initial estimate is 1 Mb/s and not trusted") func initialEstimateIs1MegabitAndNotTrusted() {
        let estimate = ThroughputEstimator().estimate
        #expect(isNear(estimate, 1) && !estimate.isTrusted && estimate.latency == 0)
    }

    @Test("If the rate of the host was measured recently, the initial estimate is 60 % of it")
    func initialEstimateIs60PercentOfTheRememberedRate() {
        let rememberedThroughput = RememberedThroughput(bitsPerSecond: 5_000_000, time: 0)
        let estimate = ThroughputEstimator(remembered: rememberedThroughput, now: Self.seconds(599)).estimate
        #expect(isNear(estimate, 3) && !estimate.isTrusted)
    }

    @Test("A rate of the host that is ten minutes old, in the future or not a number is ignored")
    func oldOrInvalidRateOfTheHostIsIgnored() {
        let rememberedThroughput = RememberedThroughput(bitsPerSecond: 5_000_000, time: 0)
        #expect(isNear(ThroughputEstimator(remembered: rememberedThroughput, now: Self.seconds(600)).estimate, 1))
        #expect(isNear(ThroughputEstimator(remembered: rememberedThroughput, now: -1).estimate, 1))
        for rate in [Double.nan, .infinity, 0, -1] {
            let invalidThroughput = RememberedThroughput(bitsPerSecond: rate, time: 0)
            #expect(isNear(ThroughputEstimator(remembered: invalidThroughput, now: 1).estimate, 1))
        }
    }

    @Test("The estimate is trusted from 128,000 bytes") func estimateIsTrustedFrom128000Bytes() {
        var estimator = ThroughputEstimator()
        estimator.record(sample(bytes: 127_999, megabits: 4))
        #expect(!estimator.estimate.isTrusted && isNear(estimator.estimate, 1))
        estimator.record(sample(bytes: 16_384, megabits: 4))
        #expect(estimator.estimate.isTrusted && isNear(estimator.estimate, 4))
    }

    @Test("Samples below 16 KiB are used only for the latency") func samplesBelow16KiBAreUsedOnlyForTheLatency() {
        var estimator = ThroughputEstimator()
        for _ in 0..<100 { estimator.record(sample(bytes: 16_383, megabits: 0.1, latency: 0.2)) }
        #expect(!estimator.estimate.isTrusted)
        #expect(abs(estimator.estimate.latency.inSeconds - 0.2) < 1e-6)
    }

    @Test("The latency does not lower the rate") func latencyDoesNotLowerTheRate() {
        var estimator = ThroughputEstimator()
        estimator.record(sample(megabits: 4, latency: 10))
        #expect(isNear(estimator.estimate, 4) && abs(estimator.estimate.latency.inSeconds - 10) < 1e-6)
    }

    @Test("A falling link lowers the estimate faster than a rising link raises it")
    func fallingLinkLowersTheEstimateFasterThanARisingLinkRaisesIt() {
        var fallingEstimator = ThroughputEstimator()
        var risingEstimator = ThroughputEstimator()
        for _ in 0..<10 {
            fallingEstimator.record(sample(megabits: 4))
            risingEstimator.record(sample(megabits: 1))
        }
        fallingEstimator.record(sample(megabits: 1))
        risingEstimator.record(sample(megabits: 4))
        let downwardFraction = (4_000_000 - fallingEstimator.estimate.bitsPerSecond) / 3_000_000
        let upwardFraction = (risingEstimator.estimate.bitsPerSecond - 1_000_000) / 3_000_000
        #expect(downwardFraction > 0.5 && upwardFraction < 0.2 && upwardFraction > 0)
    }

    @Test("The weight of a quick download is at least half the duration of the segment")
    func weightOfAQuickDownloadIsHalfTheSegmentDuration() {
        var longSegmentEstimator = ThroughputEstimator()
        var shortSegmentEstimator = ThroughputEstimator()
        for _ in 0..<10 {
            longSegmentEstimator.record(sample(megabits: 1))
            shortSegmentEstimator.record(sample(megabits: 1))
        }
        // Both downloads take 40 ms; only the durations of the downloaded segments differ.
        longSegmentEstimator.record(sample(megabits: 100, media: 4))
        shortSegmentEstimator.record(sample(megabits: 100, media: 0))
        #expect(longSegmentEstimator.estimate.bitsPerSecond > 10_000_000)
        #expect(shortSegmentEstimator.estimate.bitsPerSecond < 2_000_000)
    }

    @Test("A provisional sample is used until the download is recorded")
    func provisionalSampleIsUsedUntilTheDownloadIsRecorded() {
        var estimator = ThroughputEstimator()
        for _ in 0..<10 { estimator.record(sample(megabits: 4)) }
        let estimateBefore = estimator.estimate
        estimator.setProvisionalSample(sample(bytes: 50_000, megabits: 0.2))
        let estimateDuring = estimator.estimate
        #expect(estimateDuring.bitsPerSecond < 3_000_000)
        #expect(estimator.estimate == estimateDuring)
        estimator.setProvisionalSample(nil)
        #expect(estimator.estimate == estimateBefore)
        estimator.setProvisionalSample(sample(bytes: 50_000, megabits: 0.2))
        estimator.record(sample(megabits: 4))
        #expect(isNear(estimator.estimate, 4))
    }

    @Test("A provisional sample below 16 KiB is ignored, a larger one makes the estimate trusted")
    func largeProvisionalSampleMakesTheEstimateTrusted() {
        var estimator = ThroughputEstimator()
        estimator.setProvisionalSample(sample(bytes: 10_000, megabits: 3))
        #expect(!estimator.estimate.isTrusted)
        estimator.setProvisionalSample(sample(bytes: 200_000, megabits: 3))
        #expect(estimator.estimate.isTrusted && isNear(estimator.estimate, 3))
    }

    @Test("Only a trusted rate is remembered for the next item") func onlyATrustedRateIsRemembered() throws {
        var estimator = ThroughputEstimator()
        #expect(estimator.throughputToRemember(at: 5) == nil)
        estimator.record(sample(megabits: 4))
        let throughput = try #require(estimator.throughputToRemember(at: 5))
        #expect(throughput.time == 5 && abs(throughput.bitsPerSecond - 4_000_000) < 1)
    }

    @Test("Extreme samples neither trap nor yield an unusable estimate")
    func extremeSamplesYieldAUsableEstimate() {
        let values: [Int64] = [.min, -1, 0, 1, 1 << 40, .max]
        var estimator = ThroughputEstimator()
        for bytes in values {
            for time in values {
                estimator.setProvisionalSample(
                    TransferSample(bytes: bytes, latency: time, transferTime: time, mediaDuration: bytes))
                let estimate = estimator.estimate
                estimator.record(
                    TransferSample(bytes: bytes, latency: time, transferTime: time, mediaDuration: bytes))
                for rate in [estimate.bitsPerSecond, estimator.estimate.bitsPerSecond] {
                    #expect(rate >= 1 && rate <= 1e12)
                }
            }
        }
    }
}
