/// Places the timestamps of segments on the item's timeline. A pure value; times are nanoseconds.
///
/// Segments with the same discontinuity number share one clock, in all variants and renditions (RFC 8216, section
/// 6.2.4), so one offset for each number keeps audio and video in sync.
struct StreamClock: Sendable {
    /// The offset from the clock of a discontinuity number to the item's timeline.
    private var offsets: [Int: Int64] = [:]

    /// The period after which a clock of 33 bits and 90 kHz wraps around.
    static let period: Int64 = 95_443_717_688_889
    /// The greatest deviation of a segment from the time at which it is expected to continue the previous one.
    private static let continuityTolerance: Int64 = 1_000_000_000
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
    ///   - previous: How the clock of the segment that was read before goes on; nil if there is none.
    mutating func offset(
        discontinuity: Int, first: Int64, segment: Range<Int64>, wraps: Bool, continuing previous: Continuation? = nil
    ) -> Int64 {
        // Durations in playlists are rounded, and their sum drifts away from the timestamps. A segment whose timestamps
        // continue those of the previous one therefore keeps its offset.
        if let previous {
            let offset = wraps ? Self.unwrap(previous.offset, first, near: previous.time) : previous.offset
            if (first &+ offset &- previous.time).magnitude <= UInt64(Self.continuityTolerance) { return offset }
        }
        let expected = segment.lowerBound &- first
        guard let known = offsets[discontinuity] else {
            offsets[discontinuity] = expected
            return expected
        }
        let offset = wraps ? Self.unwrap(known, first, near: segment.lowerBound) : known
        let tolerance = max(Self.leastTolerance, segment.upperBound &- segment.lowerBound)
        if (expected &- offset).magnitude <= UInt64(tolerance) { return offset }
        // A variant may violate the rule and use another clock, or the playlist has drifted away: these segments follow
        // the playlist.
        offsets[discontinuity] = expected
        return expected
    }

    /// Returns `offset` plus the number of periods with which a timestamp is nearest to a time.
    static func unwrap(_ offset: Int64, _ stamp: Int64, near time: Int64) -> Int64 {
        let periods = Double(time &- stamp &- offset) / Double(period)
        return offset &+ Int64(periods.rounded()) &* period
    }

    /// How the clock of a segment goes on in the next one.
    struct Continuation: Sendable, Equatable {
        /// The offset from the clock to the item's timeline.
        var offset: Int64
        /// The time on the item's timeline at which the next segment is expected.
        var time: Int64
    }
}
