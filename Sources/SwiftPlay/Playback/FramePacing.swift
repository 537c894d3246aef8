/// Decides whether a late frame is shown or dropped: a pure value. After a short hiccup, up to ``limit`` late frames
/// are still shown in quick succession, so that a brief load drops no frames. A player that is permanently late drops
/// frames evenly.
struct FrameGrace {
    private var left = Self.limit
    private var inTime = 0
    /// The number of late frames that are shown, and the number of consecutive frames in time after which that number
    /// is restored.
    static let limit = 4, recovery = 30

    /// Returns whether to drop the next frame.
    ///
    /// - Parameter isOver: Whether the next frame is overdue, see ``FramePacing/isOver(due:successorDue:now:)``.
    mutating func drops(_ isOver: Bool) -> Bool {
        inTime = isOver ? 0 : inTime + 1
        if inTime >= Self.recovery { left = Self.limit }
        guard isOver, left > 0 else { return isOver }
        left -= 1
        return false
    }
}

/// Rules for late frames and for the lead time of presentation: pure functions.
enum FramePacing {
    /// Returns whether both the frame's time and its successor's have passed, so that the successor can be shown
    /// instead.
    ///
    /// - Parameters:
    ///   - due: Host time at which the frame should be visible.
    ///   - successorDue: Host time of the next frame, which is already decoded.
    ///   - now: Host time.
    static func isOver(due: Int64, successorDue: Int64, now: Int64) -> Bool { successorDue <= now && due < now }

    /// The initial lead time by which frames are passed to the display before their time, nanoseconds. The display
    /// server copies frames, and a screen shows them later still. Measured on a virtual screen, audio and video then
    /// agree within 3 ms. If the server reports presentation times, measurements replace this value
    /// (``lead(after:delay:)``).
    static let lead: Int64 = 4_000_000

    /// Returns the lead time after a frame that became visible `delay` nanoseconds after it was passed on. Each
    /// measurement corrects a part of the difference, so that frames appear around their times on average.
    static func lead(after lead: Int64, delay: Int64) -> Int64 {
        lead + (min(max(delay, 0), longestLead) - lead) / 32
    }

    /// The longest lead time, nanoseconds: a refresh interval at 30 Hz plus copying.
    static let longestLead: Int64 = 40_000_000

    /// The delay after which a frame counts as late, nanoseconds.
    static let tolerance: Int64 = 8_000_000
}
