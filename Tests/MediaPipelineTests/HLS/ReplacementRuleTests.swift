import Testing

@testable import MediaPipeline

@Suite struct ReplacementRuleTests {
    private let rule = ReplacementRule()

    /// Returns buffered segments of the given variants.
    private func segments(_ variants: [Int], duration: Double = 4) -> [BufferedSegment] {
        variants.map { BufferedSegment(variant: $0, duration: Int64(nanosecondsOf: duration), bytes: 100_000) }
    }

    /// Returns the number of segments that stay in the buffer when the variant chooser changes to 1080p.
    private func keptSegmentCount(_ segments: [BufferedSegment]) -> Int {
        rule.keptSegmentCount(segments, target: ChooserFixtures.ladder[4], ChooserFixtures.ladder)
    }

    @Test("The defaults are the documented constants") func defaultParametersAreTheDocumentedConstants() {
        #expect(rule.protectedDuration == 4_000_000_000 && rule.throughputRatio == 1.5)
        #expect(rule.discardableFraction == 0.15 && rule.discardPeriod == 60_000_000_000)
    }

    @Test("At least four seconds and at least one segment stay in the buffer")
    func atLeastFourSecondsAndOneSegmentStay() {
        #expect(keptSegmentCount(segments([1, 1, 1])) == 1)
        #expect(keptSegmentCount(segments([1, 1, 1], duration: 10)) == 1)
        #expect(keptSegmentCount(segments([1, 1, 1, 1, 1], duration: 1)) == 4)
        #expect(keptSegmentCount(segments([1], duration: 0.5)) == 1 && keptSegmentCount([]) == 0)
    }

    @Test("Only the remaining time of the segment that is being played is counted")
    func onlyTheRemainingTimeOfThePlayedSegmentIsCounted() {
        let playedSegment = BufferedSegment(variant: 1, duration: Int64(nanosecondsOf: 1), bytes: 100_000)
        #expect(keptSegmentCount([playedSegment] + segments([1, 1])) == 2)
    }

    @Test("Segments up to the last one with a large enough picture stay in the buffer")
    func segmentsUpToTheLastLargeEnoughOneStay() {
        #expect(keptSegmentCount(segments([1, 4, 1, 1])) == 2)
        #expect(keptSegmentCount(segments([1, 1, 1, 4])) == 4)
    }

    @Test("At most 15 % of the bytes of a minute of media may be discarded")
    func atMost15PercentOfTheBytesOfAMinuteAreDiscarded() {
        // At 5 Mb/s, a minute of media has 37.5 MB, of which 15 % are 5.625 MB.
        #expect(abs(rule.discardableByteCount(ChooserFixtures.ladder[4]) - 5_625_000) < 1)
    }

    @Test("Replacing needs a trusted estimate of at least 1.5 times the bit rate of the new variant")
    func replacingNeedsATrustedEstimateOf1Point5TimesTheBitRate() {
        let target = ChooserFixtures.ladder[4]
        #expect(rule.isFastEnough(target, ChooserFixtures.input(buffered: 20, megabits: 7.5)))
        #expect(!rule.isFastEnough(target, ChooserFixtures.input(buffered: 20, megabits: 7.4)))
        #expect(!rule.isFastEnough(target, ChooserFixtures.input(buffered: 20, megabits: 99, isTrusted: false)))
        #expect(!rule.isFastEnough(target, ChooserFixtures.input(buffered: 20, megabits: 14, playbackRate: 2)))
    }
}
