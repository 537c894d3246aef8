/// Places the timestamps of segments on the item's timeline. A pure value; times are nanoseconds.
///
/// Segments with the same discontinuity number share one clock, in all variants and renditions (RFC 8216, section
/// 6.2.4), so one offset for each number keeps audio and video in sync.
struct StreamClock: Sendable {
    /// The offset from the clock of a discontinuity number to the item's timeline.
    private var offsets: [Int: Int64] = [:]

    /// The period after which a clock of 33 bits and 90 kHz wraps around.
    static let period: Int64 = 95_443_717_688_889
    /// The least deviation from the expected time that counts as a clock of its own.
    private static let leastTolerance: Int64 = 2_000_000_000

    /// Returns the offset from the clock of a discontinuity number to the item's timeline; nil if no segment with the
    /// number was read.
    func offset(discontinuity: Int) -> Int64? { offsets[discontinuity] }

    /// Returns the offset to add to a segment's timestamps.
    ///
    /// - Parameters:
    ///   - discontinuity: The discontinuity number of the segment.
    ///   - first: The first timestamp of the segment.
    ///   - segment: The position of the segment on the item's timeline.
    ///   - wraps: Whether timestamps wrap around after ``period``.
    mutating func offset(discontinuity: Int, first: Int64, segment: Range<Int64>, wraps: Bool) -> Int64 {
        let expected = segment.lowerBound &- first
        guard let known = offsets[discontinuity] else {
            offsets[discontinuity] = expected
            return expected
        }
        var offset = known
        if wraps {
            let periods = Double(expected &- known) / Double(Self.period)
            offset = known &+ Int64(periods.rounded()) &* Self.period
        }
        let tolerance = max(Self.leastTolerance, segment.upperBound &- segment.lowerBound)
        // A variant may violate the rule and use another clock: its segments follow the playlist.
        return (expected &- offset).magnitude <= UInt64(tolerance) ? offset : expected
    }
}
