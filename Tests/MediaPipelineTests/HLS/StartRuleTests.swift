import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct StartRuleTests {
    private let rule = StartRule()

    /// Returns the index of the variant that playback starts with, for an estimated throughput in Mb/s.
    private func firstVariant(_ megabits: Double, isTrusted: Bool, _ view: VideoViewGeometry? = nil) -> Int {
        rule.firstVariant(
            ChooserFixtures.ladder, ThroughputEstimate(bitsPerSecond: megabits * 1_000_000, isTrusted: isTrusted), view)
    }

    @Test("The defaults are the documented constants") func defaultParametersAreTheDocumentedConstants() {
        #expect(rule.trustedThroughputFraction == 0.6 && rule.minimumHeight == 360 && rule.viewHeightFraction == 0.5)
        #expect(rule.quickStartThroughputFraction == 0.7 && rule.quickStartBuffer == 14_000_000_000)
    }

    @Test(
        "With a trusted estimate the first variant needs at most 60 % of it",
        arguments: [(0.1, 0), (1.33, 0), (1.34, 1), (4.6, 2), (4.7, 3), (8.4, 4), (100, 4)])
    func firstVariantUsesAtMost60PercentOfATrustedEstimate(megabits: Double, expected: Int) {
        #expect(firstVariant(megabits, isTrusted: true) == expected)
    }

    @Test("Without a trusted estimate the first variant is the lowest with 360 lines")
    func withoutATrustedEstimateTheFirstVariantHas360Lines() {
        #expect(firstVariant(100, isTrusted: false) == 1)
        #expect(firstVariant(0.01, isTrusted: false, ChooserFixtures.view(3840, 2160)) == 1)
    }

    @Test("In a small view, the first variant needs half the lines of the view")
    func firstVariantNeedsHalfTheLinesOfASmallView() {
        #expect(firstVariant(1, isTrusted: false, ChooserFixtures.view(640, 360)) == 0)
        #expect(firstVariant(1, isTrusted: false, ChooserFixtures.view(642, 362)) == 1)
    }

    @Test("Without resolutions the first variant is the lowest") func withoutResolutionsTheLowestVariantIsFirst() {
        let variantsWithoutSize = (0..<3).map { VariantCandidate(index: $0, bandwidth: Int64($0 + 1)) }
        #expect(
            rule.firstVariant(variantsWithoutSize, ThroughputEstimate(bitsPerSecond: 9e9, isTrusted: false), nil) == 0)
    }

    @Test("The quick start uses 70 % of the estimate")
    func quickStartUses70PercentOfTheEstimate() {
        let lookAhead = LookAheadRule()
        func quickStartVariant(_ megabits: Double, _ rate: Double = 1) -> Int? {
            let input = ChooserFixtures.input(buffered: 4, megabits: megabits, playbackRate: rate)
            return rule.quickStartVariant(ChooserFixtures.ladder, input, lookAhead)
        }
        #expect(quickStartVariant(2.1) == 2 && quickStartVariant(1.9) == 1 && quickStartVariant(0.4) == nil)
        #expect(quickStartVariant(4.2, 2) == 2)
    }
}
