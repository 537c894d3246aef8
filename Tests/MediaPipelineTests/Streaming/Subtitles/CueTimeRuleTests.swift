import Testing

@testable import MediaPipeline

@Suite struct CueTimeRuleTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000
    private typealias Map = WebVTTSegment.TimestampMap

    /// Returns a cue of one second that starts at `seconds`.
    private func cue(at seconds: Int64) -> [WebVTTCue] {
        [WebVTTCue(start: seconds * Self.second, end: (seconds + 1) * Self.second, text: "A")]
    }
    /// The position of the segment on the item's timeline, in nanoseconds.
    private let segmentRange = 60 * second..<66 * second

    /// Returns the start of the first cue on the item's timeline, in seconds. `clockOffset` is in seconds, too.
    private func cueStart(_ cues: [WebVTTCue], _ map: Map?, clockOffset: Int64?) -> Int64 {
        let offset = CueTimeRule.offset(
            of: cues, map: map, clockOffset: clockOffset.map { $0 * Self.second }, segment: segmentRange)
        return (cues[0].start + offset) / Self.second
    }

    @Test("the tag maps cue times to the stream's clock, and the clock's offset maps them to the item's timeline")
    func tagMapsCueTimesToTheTimeline() {
        // The tag maps cue time 10 s to 100 s on the stream's clock, which is 50 s on the item's timeline.
        let map = Map(cueTime: 10 * Self.second, streamTime: 100 * 90_000)
        #expect(cueStart(cue(at: 22), map, clockOffset: -50) == 62)
    }

    @Test("without a tag, cue time 0 is time 0 of the stream's clock") func missingTagMapsZeroToZero() {
        #expect(cueStart(cue(at: 72), nil, clockOffset: -10) == 62)
    }

    @Test("a clock of 33 bits wraps around between tag and segment, or between the item's start and the segment")
    func wrapOfTheClockIsCorrected() {
        let clockPeriodInTicks: Int64 = 1 << 33
        // The stream began 20 s before its clock wrapped around. The segment lies 40 s after the wrap.
        let period = StreamClock.period / Self.second
        let map = Map(cueTime: 0, streamTime: 40 * 90_000)
        #expect((61...62).contains(cueStart(cue(at: 2), map, clockOffset: -(period - 20))))
        let mapBeforeTheWrap = Map(cueTime: 0, streamTime: clockPeriodInTicks - 20 * 90_000)
        #expect((61...62).contains(cueStart(cue(at: 62), mapBeforeTheWrap, clockOffset: 20)))
    }

    @Test("cue times far from the segment are relative to the start of the item or of the segment")
    func implausibleTagIsIgnored() {
        #expect(cueStart(cue(at: 62), nil, clockOffset: -1000) == 62)
        #expect(cueStart(cue(at: 2), nil, clockOffset: -1000) == 62)
        // No interpretation places the cue near its segment: the stream's clock determines the time.
        #expect(cueStart(cue(at: 500), nil, clockOffset: -1000) == -500)
    }

    @Test("a deviation within the tolerance is not corrected") func smallDeviationIsNotCorrected() {
        #expect(cueStart(cue(at: 62), nil, clockOffset: -9) == 53)
    }

    @Test("without a known clock, cue times are relative to the start of the item or of the segment")
    func cueTimesAreRelativeIfTheClockIsUnknown() {
        #expect(cueStart(cue(at: 62), Map(cueTime: 0, streamTime: 5), clockOffset: nil) == 62)
        #expect(cueStart(cue(at: 1), nil, clockOffset: nil) == 61)
    }

    @Test("extreme times do not overflow") func extremeTimesDoNotOverflow() {
        let longCue = [WebVTTCue(start: 0, end: 3_600_000_000 * Self.second, text: "A")]
        for clockOffset in [Int64.min, .max, 0] {
            let offset = CueTimeRule.offset(
                of: longCue, map: Map(cueTime: 3_600_000_000 * Self.second, streamTime: 1 << 33 - 1),
                clockOffset: clockOffset, segment: segmentRange)
            #expect(longCue[0].moved(by: offset).end <= ReadingLimits.timeRange.upperBound)
        }
    }
}
