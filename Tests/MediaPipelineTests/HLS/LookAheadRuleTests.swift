import Testing

@testable import MediaPipeline

@Suite struct LookAheadRuleTests {
    private let rule = LookAheadRule()
    private let variant = ChooserFixtures.variant(0, 2_000_000, 720, average: 1_700_000)

    @Test("The defaults are the documented constants") func defaultParametersAreTheDocumentedConstants() {
        #expect(
            rule.predictedSegmentLimit == 4 && rule.usableThroughputFraction == 0.85
                && rule.averageBitRateMinimumSegmentCount == 2)
        #expect(rule.minimumBuffer == 8_000_000_000 && rule.upwardMinimumBuffer == 12_000_000_000)
        #expect(rule.minimumUpwardInterval == 8_000_000_000 && rule.endMinimumBuffer == 2_000_000_000)
    }

    @Test("AVERAGE-BANDWIDTH is used if at least two segments are buffered")
    func averageBandwidthIsUsedWithTwoBufferedSegments() {
        #expect(rule.bitRate(of: variant, ChooserFixtures.input(buffered: 7.9, megabits: 1)) == 2_000_000)
        #expect(rule.bitRate(of: variant, ChooserFixtures.input(buffered: 8, megabits: 1)) == 1_700_000)
    }

    @Test("The prediction covers four segments at 85 % of the estimate") func predictionCoversFourSegments() {
        // At 85 % of 1 Mb/s, a segment of 4 s with 1.7 Mb/s takes 8 s; four segments shorten the buffer by 16 s.
        let input = ChooserFixtures.input(buffered: 20, megabits: 1)
        #expect(abs(rule.predictedBuffer(of: variant, input) - 4) < 1e-6)
    }

    @Test("Known segment sizes replace the declared bit rate") func knownSegmentSizesReplaceTheBitRate() {
        let input = ChooserFixtures.input(buffered: 20, megabits: 1, sizes: [0: [425_000, 425_000, 0]])
        // At 85 % of 1 Mb/s, the two segments of 425 kB take 4 s each; the other two, with 1.7 Mb/s, take 8 s each.
        #expect(abs(rule.predictedBuffer(of: variant, input) - 12) < 1e-6)
    }

    @Test("The latency of each request shortens the buffer") func latencyOfEachRequestShortensTheBuffer() {
        var input = ChooserFixtures.input(buffered: 20, megabits: 1)
        input.estimate = ThroughputEstimate(bitsPerSecond: 1_000_000, latency: Int64(nanosecondsOf: 0.5))
        #expect(abs(rule.predictedBuffer(of: variant, input) - 2) < 1e-6)
    }

    @Test("Faster playback empties the buffer sooner; a paused player is treated as playing")
    func fasterPlaybackShortensTheBuffer() {
        let doubleSpeedInput = ChooserFixtures.input(buffered: 40, megabits: 1, playbackRate: 2)
        #expect(abs(rule.predictedBuffer(of: variant, doubleSpeedInput) - -8) < 1e-6)
        let pausedInput = ChooserFixtures.input(buffered: 20, megabits: 1, playbackRate: 0)
        #expect(abs(rule.predictedBuffer(of: variant, pausedInput) - 4) < 1e-6)
    }

    @Test("8 s of the buffer must remain, and 12 s after a change to a higher variant")
    func predictedBufferMustBeAtLeast8Or12Seconds() {
        let input = ChooserFixtures.input(buffered: 20, megabits: 1)
        #expect(rule.allows(predictedBuffer: 8, isUpward: false, input))
        #expect(!rule.allows(predictedBuffer: 7.9, isUpward: false, input))
        #expect(rule.allows(predictedBuffer: 12, isUpward: true, input))
        #expect(!rule.allows(predictedBuffer: 11.9, isUpward: true, input))
    }

    @Test("A short buffer that does not become shorter is enough") func shortBufferThatDoesNotShrinkIsEnough() {
        let input = ChooserFixtures.input(buffered: 3, megabits: 1)
        #expect(rule.allows(predictedBuffer: 3, isUpward: true, input))
        #expect(!rule.allows(predictedBuffer: 2.9, isUpward: false, input))
    }

    @Test("For the last segments, only 2 s of the buffer must remain") func only2SecondsMustRemainForTheLastSegments() {
        let inputNearTheEnd = ChooserFixtures.input(buffered: 20, megabits: 1, remaining: 2)
        #expect(abs(rule.predictedBuffer(of: variant, inputNearTheEnd) - 12) < 1e-6)
        #expect(rule.allows(predictedBuffer: 2, isUpward: true, inputNearTheEnd))
        #expect(!rule.allows(predictedBuffer: 1.9, isUpward: true, inputNearTheEnd))
        let inputBeforeTheEnd = ChooserFixtures.input(buffered: 20, megabits: 1, remaining: 5)
        #expect(!rule.allows(predictedBuffer: 2, isUpward: false, inputBeforeTheEnd))
    }

    @Test("Extreme inputs neither trap nor cause an endless loop") func extremeInputsNeitherTrapNorLoop() {
        for remaining in [Int.min, -1, 0, .max] {
            let input = ChooserInput(
                now: .max, bufferedDuration: .max, bufferedSegmentCount: .min, segmentDuration: .max,
                estimate: ThroughputEstimate(bitsPerSecond: .nan), rate: .nan, segmentSizes: [0: [.max, .min]],
                remainingSegmentCount: remaining)
            let hugeVariant = VariantCandidate(index: 0, bandwidth: .max)
            #expect(!rule.predictedBuffer(of: hugeVariant, input).isNaN)
        }
    }
}
