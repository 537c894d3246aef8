import Testing

@testable import MediaPipeline

@Suite struct VariantChooserReplacementTests {
    /// Returns a variant chooser that played 360p in a small window and now plays in a view of 1920×1080.
    private func chooserWithEnlargedView() throws -> VariantChooser {
        var chooser = try #require(VariantChooser(ChooserFixtures.ladder))
        _ = chooser.updateDestination(.view(ChooserFixtures.view(400, 225)), at: 0)
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 20))
        let hasChanged = chooser.updateDestination(
            .view(ChooserFixtures.view(1920, 1080)), at: Int64(nanosecondsOf: 60))
        #expect(hasChanged)
        return chooser
    }

    /// Returns `count` buffered segments of 360p.
    private func bufferedSegments(_ count: Int, bytes: Int64 = 400_000) -> [BufferedSegment] {
        (0..<count).map { _ in BufferedSegment(variant: 1, duration: Int64(nanosecondsOf: 4), bytes: bytes) }
    }

    @Test("After the view has grown, segments with too small pictures are replaced")
    func tooSmallSegmentsAreReplacedAfterTheViewHasGrown() throws {
        var chooser = try chooserWithEnlargedView()
        let optionalReplacement = chooser.replacement(
            of: bufferedSegments(6), ChooserFixtures.input(now: 60, buffered: 24, megabits: 20))
        let replacement = try #require(optionalReplacement)
        #expect(replacement.keptSegmentCount == 1 && replacement.wastedBytes == 2_000_000)
        #expect(replacement.choice.variant == 4 && chooser.currentIndex == 4)
        #expect(replacement.choice.reason == .replace(segments: 5, bytes: 2_000_000))
    }

    @Test("On a slow link, segments are replaced only by a variant that the link is fast enough for")
    func replacementOnASlowLinkIsAVariantThatFitsTheLink() throws {
        var chooser = try chooserWithEnlargedView()
        let replacement = chooser.replacement(
            of: bufferedSegments(6), ChooserFixtures.input(now: 60, buffered: 24, megabits: 4.3))
        #expect(replacement?.choice.variant == 3)
        var slowLinkChooser = try chooserWithEnlargedView()
        let slowLinkReplacement = slowLinkChooser.replacement(
            of: bufferedSegments(6), ChooserFixtures.input(now: 60, buffered: 24, megabits: 1.2))
        #expect(slowLinkReplacement == nil && slowLinkChooser.currentIndex == 1)
    }

    @Test("At most 15 % of the bytes of a minute are discarded, including bytes discarded earlier")
    func atMost15PercentOfTheBytesOfAMinuteAreDiscarded() throws {
        var chooser = try chooserWithEnlargedView()
        let input = ChooserFixtures.input(now: 60, buffered: 24, megabits: 20)
        let replacementOfLargeSegments = chooser.replacement(of: bufferedSegments(6, bytes: 1_200_000), input)
        let replacementAfterLargeLosses = chooser.replacement(of: bufferedSegments(6), wastedBytes: 4_000_000, input)
        let permittedReplacement = chooser.replacement(of: bufferedSegments(6), wastedBytes: 3_600_000, input)
        #expect(replacementOfLargeSegments == nil && replacementAfterLargeLosses == nil)
        #expect(permittedReplacement != nil)
    }

    @Test("Segments with large enough pictures, and segments that are played soon, are not replaced")
    func largeEnoughSegmentsAreNotReplaced() throws {
        var chooser = try chooserWithEnlargedView()
        let input = ChooserFixtures.input(now: 60, buffered: 4, megabits: 20)
        let replacementOfOneSegment = chooser.replacement(of: bufferedSegments(1), input)
        let replacementOfNothing = chooser.replacement(of: [], input)
        let largeSegments = (0..<6).map { _ in
            BufferedSegment(variant: 4, duration: Int64(nanosecondsOf: 4), bytes: 1)
        }
        let replacementOfLargeSegments = chooser.replacement(of: largeSegments, input)
        #expect(replacementOfOneSegment == nil && replacementOfNothing == nil && replacementOfLargeSegments == nil)
    }

    @Test("A higher variant that the user chooses replaces lower segments, whatever their size")
    func chosenHigherVariantReplacesLowerSegments() throws {
        var chooser = try chooserWithEnlargedView()
        chooser.limits.userChoice = 4
        let input = ChooserFixtures.input(now: 60, buffered: 24, megabits: 1.2)
        let replacement = chooser.replacement(of: bufferedSegments(6, bytes: 9_000_000), input)
        #expect(replacement?.keptSegmentCount == 1 && replacement?.choice.variant == 4)
        chooser.limits.userChoice = 0
        let lowerReplacement = chooser.replacement(of: bufferedSegments(6), input)
        #expect(lowerReplacement == nil)
    }
}
