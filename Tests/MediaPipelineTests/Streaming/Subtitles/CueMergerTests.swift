import Testing

@testable import MediaPipeline

@Suite struct CueMergerTests {
    /// Returns a cue with times in milliseconds.
    private func cue(_ start: Int64, _ end: Int64, _ text: String = "A") -> WebVTTCue {
        WebVTTCue(start: start * 1_000_000, end: end * 1_000_000, text: text)
    }

    @Test("a cue in several segments is shown once, even if its times are rounded differently")
    func repeatedCueIsShownOnce() {
        var merger = CueMerger()
        #expect(merger.merge([cue(3_000, 9_000)]) == [cue(3_000, 9_000)])
        #expect(merger.merge([cue(2_999, 9_001), cue(7_000, 9_000)]) == [cue(7_000, 9_000)])
        #expect(merger.merge([cue(3_001, 8_999)]) == [])
        merger.restart()
        #expect(merger.merge([cue(3_000, 9_000)]) == [])
    }

    @Test(
        "cues that differ in start, end or text are all shown",
        arguments: [(3_003, 9_000, "A"), (3_000, 9_003, "A"), (3_000, 9_000, "B")])
    func differentCuesAreShown(start: Int64, end: Int64, text: String) {
        var merger = CueMerger()
        _ = merger.merge([cue(3_000, 9_000)])
        #expect(merger.merge([cue(start, end, text)]).count == 1)
    }

    @Test("cues are sorted by their starts, and cues without a duration are omitted") func cuesAreSorted() {
        var merger = CueMerger()
        #expect(merger.merge([cue(5, 6), cue(7, 7), cue(1, 2)]) == [cue(1, 2), cue(5, 6)])
    }

    @Test("the number of cues that are visible at the same time is bounded, also across segments")
    func visibleCuesAreBounded() {
        var merger = CueMerger()
        let manyCues = (0..<1_000).map { cue(0, 10_000, "\($0)") }
        #expect(merger.merge(Array(manyCues[..<500])).count == CueMerger.visibleLimit)
        #expect(merger.merge(Array(manyCues[500...]) + [cue(9_999, 10_001, "late")]).isEmpty)
        #expect(merger.merge([cue(10_000, 11_000)]).count == 1)
    }
}
