/// The positions that mpv's command `revert-seek` returns to. Positions are in seconds.
struct SeekHistory: Sendable, Equatable {
    /// The position before the last seek, or before the first of several seeks in quick succession; nil before the
    /// first seek.
    private var previous: Double?
    /// The position that a client has marked; nil if there is none.
    private var marked: Double?
    /// Whether ``marked`` stays until another position is marked.
    private var isMarkPermanent = false
    /// The host time of the last seek, in nanoseconds; nil before the first seek.
    private var lastSeekTime: Int64?

    /// The host time, in nanoseconds, within which a further seek belongs to the last one.
    private static let successionInterval: Int64 = 2_000_000_000

    /// Records that a seek starts.
    ///
    /// - Parameters:
    ///   - position: The position before the seek.
    ///   - now: The host time in nanoseconds.
    mutating func willSeek(from position: Double, now: Int64) {
        if lastSeekTime.map({ now - $0 > Self.successionInterval }) ?? true { previous = position }
        lastSeekTime = now
    }

    /// Marks a position, to which the next ``revert(from:)`` returns; `permanently`: all further ones also do.
    mutating func mark(_ position: Double, permanently: Bool) { (marked, isMarkPermanent) = (position, permanently) }

    /// Returns the position to return to; nil if there was no seek. The next call returns to `position`, unless a
    /// position is marked permanently.
    mutating func revert(from position: Double) -> Double? {
        lastSeekTime = nil
        let earlierPosition = marked ?? previous
        if !isMarkPermanent { marked = nil }
        if earlierPosition != nil { previous = position }
        return earlierPosition
    }
}
