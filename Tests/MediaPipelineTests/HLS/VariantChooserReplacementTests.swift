import Testing

@testable import MediaPipeline

@Suite struct VariantChooserReplacementTests {
    /// Returns a variant chooser that played 360p in a small window and now plays in a view of 1920×1080.
    private func chooserOfGrownView() throws -> VariantChooser {
        var chooser = try #require(VariantChooser(ChooserFixtures.ladder))
        _ = chooser.updateDestination(.view(ChooserFixtures.view(400, 225)), at: 0)
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 20))
        let changed = chooser.updateDestination(.view(ChooserFixtures.view(1920, 1080)), at: Int64(nanosecondsOf: 60))
        #expect(changed)
        return chooser
    }

    /// Returns `count` buffered segments of 360p.
    private func buffered(_ count: Int, bytes: Int64 = 400_000) -> [BufferedSegment] {
        (0..<count).map { _ in BufferedSegment(variant: 1, duration: Int64(nanosecondsOf: 4), bytes: bytes) }
    }

    @Test("After growth the segments that are too small are replaced")
    func tooSmallSegmentsAreReplacedAfterTheViewHasGrown() throws {
        var chooser = try chooserOfGrownView()
        let found = chooser.replacement(of: buffered(6), ChooserFixtures.input(now: 60, buffered: 24, megabits: 20))
        let replacement = try #require(found)
        #expect(replacement.keptSegmentCount == 1 && replacement.wastedBytes == 2_000_000)
        #expect(replacement.choice.variant == 4 && chooser.current == 4)
        #expect(replacement.choice.reason == .replace(segments: 5, bytes: 2_000_000))
    }

    @Test("A slow link replaces by a variant that it carries, or not at all")
    func slowLinkReplacesOnlyByAVariantThatItCarries() throws {
        var chooser = try chooserOfGrownView()
        let found = chooser.replacement(of: buffered(6), ChooserFixtures.input(now: 60, buffered: 24, megabits: 4.3))
        #expect(found?.choice.variant == 3)
        var slow = try chooserOfGrownView()
        let nothing = slow.replacement(of: buffered(6), ChooserFixtures.input(now: 60, buffered: 24, megabits: 1.2))
        #expect(nothing == nil && slow.current == 1)
    }

    @Test("At most 15 % of a minute's bytes are lost, including earlier losses")
    func atMost15PercentOfAMinutesBytesAreLost() throws {
        var chooser = try chooserOfGrownView()
        let input = ChooserFixtures.input(now: 60, buffered: 24, megabits: 20)
        let tooMuch = chooser.replacement(of: buffered(6, bytes: 1_200_000), input)
        let before = chooser.replacement(of: buffered(6), wastedBytes: 4_000_000, input)
        let enough = chooser.replacement(of: buffered(6), wastedBytes: 3_600_000, input)
        #expect(tooMuch == nil && before == nil && enough != nil)
    }

    @Test("Segments that are large enough, or must stay, are not replaced")
    func largeEnoughSegmentsAreNotReplaced() throws {
        var chooser = try chooserOfGrownView()
        let input = ChooserFixtures.input(now: 60, buffered: 4, megabits: 20)
        let single = chooser.replacement(of: buffered(1), input)
        let empty = chooser.replacement(of: [], input)
        let large = (0..<6).map { _ in BufferedSegment(variant: 4, duration: Int64(nanosecondsOf: 4), bytes: 1) }
        let good = chooser.replacement(of: large, input)
        #expect(single == nil && empty == nil && good == nil)
    }

    @Test("A higher variant that the user chooses replaces lower segments, whatever their size")
    func chosenHigherVariantReplacesLowerSegments() throws {
        var chooser = try chooserOfGrownView()
        chooser.limits.userChoice = 4
        let input = ChooserFixtures.input(now: 60, buffered: 24, megabits: 1.2)
        let found = chooser.replacement(of: buffered(6, bytes: 9_000_000), input)
        #expect(found?.keptSegmentCount == 1 && found?.choice.variant == 4)
        chooser.limits.userChoice = 0
        let lower = chooser.replacement(of: buffered(6), input)
        #expect(lower == nil)
    }
}
