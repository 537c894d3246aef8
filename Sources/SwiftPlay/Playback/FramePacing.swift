/// Decides whether a late frame is shown or dropped: a pure value. After a short delay, up to ``shownLateFrameLimit``
/// late frames are still shown in quick succession, so that a brief CPU load drops no frames. A player that is
/// permanently late drops frames evenly.
struct FrameDropPolicy {
    /// The number of late frames that may still be shown.
    private var remainingLateFrameCount = Self.shownLateFrameLimit
    /// The number of consecutive frames that were in time.
    private var inTimeFrameCount = 0
    /// The number of consecutive late frames that are still shown, and the number of consecutive frames in time after
    /// which late frames are shown again.
    static let shownLateFrameLimit = 4, recoveryFrameCount = 30

    /// Returns whether to drop the next frame.
    ///
    /// - Parameter isExpired: See ``FramePacing/isExpired(due:successorDue:now:)``.
    mutating func drops(_ isExpired: Bool) -> Bool {
        inTimeFrameCount = isExpired ? 0 : inTimeFrameCount + 1
        if inTimeFrameCount >= Self.recoveryFrameCount { remainingLateFrameCount = Self.shownLateFrameLimit }
        guard isExpired, remainingLateFrameCount > 0 else { return isExpired }
        remainingLateFrameCount -= 1
        return false
    }
}

/// Rules for late frames and for the lead time of presentation: pure functions.
enum FramePacing {
    /// Returns whether the times of both a frame and its successor have passed, so that the successor can be shown
    /// instead.
    ///
    /// - Parameters:
    ///   - due: The host time at which the frame should be visible.
    ///   - successorDue: The host time of the next frame, which is already decoded.
    ///   - now: The present host time.
    static func isExpired(due: Int64, successorDue: Int64, now: Int64) -> Bool { successorDue <= now && due < now }

    /// The initial time by which a frame is passed to the display server before it should be visible, in nanoseconds.
    /// It allows for the display server's copy of the frame and the delay of the screen. On a virtual screen, it keeps
    /// audio and video within 3 ms of each other. If the server reports presentation times, measurements replace this
    /// value (``correctedLeadTime(after:delay:)``).
    static let initialLeadTime: Int64 = 4_000_000

    /// Returns the corrected lead time after a frame that became visible `delay` nanoseconds after it was passed to the
    /// display server. Each measurement corrects a part of the difference, so that frames appear around their times on
    /// average.
    static func correctedLeadTime(after lead: Int64, delay: Int64) -> Int64 {
        lead + (min(max(delay, 0), maximumLeadTime) - lead) / 32
    }

    /// The longest lead time, in nanoseconds: 33 ms for a refresh at 30 Hz, and 7 ms for copying.
    static let maximumLeadTime: Int64 = 40_000_000

    /// The delay after which a frame counts as late, in nanoseconds.
    static let tolerance: Int64 = 8_000_000
}
