/// Places the timestamps of segments on the item's timeline. A pure value; times are nanoseconds.
///
/// Segments with the same discontinuity number share one clock, in all variants and renditions (RFC 8216, section
/// 6.2.4), so one offset for each number keeps audio and video in sync.
struct StreamClock: Sendable {
    /// The offset in nanoseconds from the clock of each discontinuity number to the item's timeline.
    private var offsets: [Int: Int64] = [:]

    /// The time in nanoseconds after which a clock of 33 bits and 90 kHz wraps around.
    static let period: Int64 = 95_443_717_688_889
    /// The largest difference, in nanoseconds, between a segment's actual and expected start up to which the segment
    /// keeps the offset of the previous segment.
    private static let continuityTolerance: Int64 = 1_000_000_000
    /// The smallest tolerance, in nanoseconds, for the difference between a segment's start and its position in the
    /// playlist. If the difference exceeds the tolerance, the segment is assumed to have another clock.
    private static let leastTolerance: Int64 = 2_000_000_000

    /// Returns the offset from the clock of a discontinuity number to the item's timeline; nil if no segment with that
    /// number was read.
    func offset(discontinuity: Int) -> Int64? { offsets[discontinuity] }

    /// Returns the offset to add to a segment's timestamps, in nanoseconds.
    ///
    /// - Parameters:
    ///   - discontinuity: The discontinuity number of the segment.
    ///   - first: The first timestamp of the segment.
    ///   - segment: The position of the segment on the item's timeline.
    ///   - wraps: Whether timestamps wrap around after ``period``.
    ///   - previous: The clock of the previous segment and this segment's expected start; nil if there is none.
    mutating func offset(
        discontinuity: Int, first: Int64, segment: Range<Int64>, wraps: Bool, continuing previous: Continuation? = nil
    ) -> Int64 {
        // Playlists round durations, so the sum of durations drifts away from the timestamps. A segment whose
        // timestamps continue the previous segment therefore keeps that segment's offset.
        if let previous {
            let offset = wraps ? Self.unwrap(previous.offset, first, near: previous.time) : previous.offset
            if (first &+ offset &- previous.time).magnitude <= UInt64(Self.continuityTolerance) { return offset }
        }
        let expectedOffset = segment.lowerBound &- first
        guard let knownOffset = offsets[discontinuity] else {
            offsets[discontinuity] = expectedOffset
            return expectedOffset
        }
        let offset = wraps ? Self.unwrap(knownOffset, first, near: segment.lowerBound) : knownOffset
        let tolerance = max(Self.leastTolerance, segment.upperBound &- segment.lowerBound)
        if (expectedOffset &- offset).magnitude <= UInt64(tolerance) { return offset }
        // The variant uses another clock, which RFC 8216 forbids, or the playlist has drifted away. Place these
        // segments where the playlist states.
        offsets[discontinuity] = expectedOffset
        return expectedOffset
    }

    /// Returns `offset` plus the number of clock periods that brings the timestamp `timestamp` nearest to `time`.
    static func unwrap(_ offset: Int64, _ timestamp: Int64, near time: Int64) -> Int64 {
        let periods = Double(time &- timestamp &- offset) / Double(period)
        return offset &+ Int64(periods.rounded()) &* period
    }

    /// The clock of a segment, as the next segment continues it.
    struct Continuation: Sendable, Equatable {
        /// The offset from the clock to the item's timeline, in nanoseconds.
        var offset: Int64
        /// The expected start of the next segment on the item's timeline, in nanoseconds.
        var time: Int64
    }
}
