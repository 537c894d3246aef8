/// Which of the frames whose time is over are dropped: of a hiccup none, so that none is lost while the machine has
/// other things to do for a moment; they are seen shortly, one after the other. Who is behind all the time drops
/// evenly. A pure value.
struct FrameGrace {
    private var left = Self.limit
    private var inTime = 0
    /// How many are shown all the same, and after how many in a row that were in time these may be so many again.
    static let limit = 4, recovery = 30

    /// - Parameter isOver: of the next frame, see ``FramePacing/isOver(due:successorDue:now:)``.
    mutating func drops(_ isOver: Bool) -> Bool {
        inTime = isOver ? 0 : inTime + 1
        if inTime >= Self.recovery { left = Self.limit }
        guard isOver, left > 0 else { return isOver }
        left -= 1
        return false
    }
}

/// Whether the next frame is still to be shown, and how early it is given away: pure decisions.
enum FramePacing {
    /// The frame's time and that of its successor have passed: the successor is shown in its stead.
    ///
    /// - Parameters:
    ///   - due: host time at which the frame is to be seen.
    ///   - successorDue: host time of the one after it, which is decoded already.
    ///   - now: host time.
    static func isOver(due: Int64, successorDue: Int64, now: Int64) -> Bool { successorDue <= now && due < now }

    /// Frames are handed over this much before their time, nanoseconds: the display server copies them and a screen
    /// shows them later still. Measured under a virtual screen, sound then meets picture within 3 ms. Where the server
    /// says when a picture came between two refreshes, what it says takes this one's place (``lead(after:delay:)``).
    static let lead: Int64 = 4_000_000

    /// The lead that follows from one more picture that took `delay` to come on screen: part of the difference is taken
    /// over with each, so that the pictures lie around their times and not behind them.
    static func lead(after lead: Int64, delay: Int64) -> Int64 {
        lead + (min(max(delay, 0), longestLead) - lead) / 32
    }

    /// A refresh at 30 Hz and the copying.
    static let longestLead: Int64 = 40_000_000

    /// A frame shown later than this counts as late, nanoseconds.
    static let tolerance: Int64 = 8_000_000
}
