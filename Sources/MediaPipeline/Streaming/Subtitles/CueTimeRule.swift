/// Places the cues of a WebVTT segment on the item's timeline. Contains only pure functions; times are nanoseconds.
enum CueTimeRule {
    /// The smallest tolerance, in nanoseconds, for cues outside their segment; beyond it, their times are wrong.
    static let leastTolerance: Int64 = 10_000_000_000

    /// Returns the offset to add to the times of the cues, in nanoseconds.
    ///
    /// The tag `X-TIMESTAMP-MAP` converts cue times to the stream's clock, and `clockOffset` converts that clock to the
    /// item's timeline. The tag states only 33 bits; the segment's position determines the other bits. If the cues then
    /// lie far from their segment, the tag is wrong or wrongly missing: cue times count from the start of the item, or
    /// else from the start of the segment.
    ///
    /// - Parameters:
    ///   - clockOffset: The offset from the stream's clock to the item's timeline; nil if it is unknown.
    ///   - segment: The position of the segment on the item's timeline.
    static func offset(
        of cues: [WebVTTCue], map: WebVTTSegment.TimestampMap?, clockOffset: Int64?, segment: Range<Int64>
    ) -> Int64 {
        guard let firstStart = cues.lazy.map(\.start).min(), let lastEnd = cues.lazy.map(\.end).max() else { return 0 }
        let tolerance = max(leastTolerance, segment.upperBound &- segment.lowerBound)
        let earliest = segment.lowerBound &- tolerance, latest = segment.upperBound &+ tolerance
        func fits(_ offset: Int64) -> Bool { firstStart &+ offset < latest && lastEnd &+ offset > earliest }
        let mappedOffset = clockOffset.map { clockOffset in
            let map = map ?? WebVTTSegment.TimestampMap()
            let offset = streamTime(map.streamTime) &- map.cueTime &+ clockOffset
            let expectedOffset = segment.lowerBound &- firstStart
            let periods = Double(expectedOffset &- offset) / Double(StreamClock.period)
            return offset &+ Int64(periods.rounded()) &* StreamClock.period
        }
        let candidates = [mappedOffset, 0, segment.lowerBound].compactMap { $0 }
        return candidates.first(where: fits) ?? candidates[0]
    }

    /// Converts a time of the stream's clock (33 bits, 90 kHz) to nanoseconds.
    private static func streamTime(_ ticks: Int64) -> Int64 { ticks * 100_000 / 9 }
}
