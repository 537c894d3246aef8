import Testing

@testable import MediaPipeline

@Suite struct ReplacementRuleTests {
    private let rule = ReplacementRule()

    /// Returns buffered segments of the given variants.
    private func segments(_ variants: [Int], duration: Double = 4) -> [BufferedSegment] {
        variants.map { BufferedSegment(variant: $0, duration: Int64(nanosecondsOf: duration), bytes: 100_000) }
    }

    /// Returns how many of the buffered segments stay in the buffer when the variant chooser changes to 1080p.
    private func keptSegmentCount(_ segments: [BufferedSegment]) -> Int {
        rule.keptSegmentCount(segments, target: ChooserFixtures.ladder[4], ChooserFixtures.ladder)
    }

    @Test("The defaults are the documented constants") func defaultParametersAreTheDocumentedConstants() {
        #expect(rule.protectedDuration == 4_000_000_000 && rule.throughputRatio == 1.5)
        #expect(rule.discardableFraction == 0.15 && rule.discardPeriod == 60_000_000_000)
    }

    @Test("At least four seconds stay, and at least one segment") func atLeastFourSecondsAndOneSegmentStay() {
        #expect(keptSegmentCount(segments([1, 1, 1])) == 1)
        #expect(keptSegmentCount(segments([1, 1, 1], duration: 10)) == 1)
        #expect(keptSegmentCount(segments([1, 1, 1, 1, 1], duration: 1)) == 4)
        #expect(keptSegmentCount(segments([1], duration: 0.5)) == 1 && keptSegmentCount([]) == 0)
    }

    @Test("A segment that is being played counts with the time that is left")
    func remainingTimeOfThePlayedSegmentCounts() {
        let first = BufferedSegment(variant: 1, duration: Int64(nanosecondsOf: 1), bytes: 100_000)
        #expect(keptSegmentCount([first] + segments([1, 1])) == 2)
    }

    @Test("Segments up to the last one that is large enough stay") func segmentsUpToTheLastLargeEnoughOneStay() {
        #expect(keptSegmentCount(segments([1, 4, 1, 1])) == 2)
        #expect(keptSegmentCount(segments([1, 1, 1, 4])) == 4)
    }

    @Test("15 % of a minute's bytes may be lost") func atMost15PercentOfAMinutesBytesAreLost() {
        // At 5 Mb/s, a minute of media has 37.5 MB, of which 15 % are 5.625 MB.
        #expect(abs(rule.discardableByteCount(ChooserFixtures.ladder[4]) - 5_625_000) < 1)
    }

    @Test("The estimate must be trusted and 1.5 times the new bit rate")
    func replacingNeedsATrustedEstimateOf1Point5TimesTheBitRate() {
        let target = ChooserFixtures.ladder[4]
        #expect(rule.isFastEnough(target, ChooserFixtures.input(buffered: 20, megabits: 7.5)))
        #expect(!rule.isFastEnough(target, ChooserFixtures.input(buffered: 20, megabits: 7.4)))
        #expect(!rule.isFastEnough(target, ChooserFixtures.input(buffered: 20, megabits: 99, isTrusted: false)))
        #expect(!rule.isFastEnough(target, ChooserFixtures.input(buffered: 20, megabits: 14, playbackRate: 2)))
    }
}
