/// The positions that mpv's command `revert-seek` returns to. Positions are in seconds.
struct SeekHistory: Sendable, Equatable {
    /// The position before the last seek, or before the first of several seeks in quick succession; nil before the
    /// first seek.
    private var previousPosition: Double?
    /// The position that a client has marked; nil if there is none.
    private var markedPosition: Double?
    /// Whether ``markedPosition`` stays until another position is marked.
    private var isMarkPermanent = false
    /// The host time of the last seek, in nanoseconds; nil before the first seek.
    private var lastSeekTime: Int64?

    /// The time between two seeks, in nanoseconds, up to which both count as one seek.
    private static let successionInterval: Int64 = 2_000_000_000

    /// Records that a seek starts.
    ///
    /// - Parameters:
    ///   - position: The position before the seek.
    ///   - now: The host time in nanoseconds.
    mutating func willSeek(from position: Double, now: Int64) {
        if lastSeekTime.map({ now - $0 > Self.successionInterval }) ?? true { previousPosition = position }
        lastSeekTime = now
    }

    /// Marks the position to which the next ``revert(from:)`` returns. If `permanently` is true, all later calls return
    /// to it, too.
    mutating func mark(_ position: Double, permanently: Bool) {
        (markedPosition, isMarkPermanent) = (position, permanently)
    }

    /// Returns the position to return to; nil if there was no seek. The next call returns to `position`, unless a
    /// position is marked permanently.
    mutating func revert(from position: Double) -> Double? {
        lastSeekTime = nil
        let earlierPosition = markedPosition ?? previousPosition
        if !isMarkPermanent { markedPosition = nil }
        if earlierPosition != nil { previousPosition = position }
        return earlierPosition
    }
}
