/// Decides what the player does while data comes too slowly: a pure value.
enum StallPlan {
    /// What holds when an item plays and no frame is decoded.
    struct Gap: Equatable, Sendable {
        var hasPictureEnded: Bool
        var hasAudioEnded: Bool
        /// Whether the audio path has nothing to play.
        var isStarved: Bool
        /// Whether nothing is read ahead, and the end has not been read.
        var isEmpty: Bool
        /// The end of the last frame that was shown, media nanoseconds; nil: no frame was shown.
        var pictureEnd: Int64?
        /// Host time until which a start at a host time catches up instead of stalling.
        var catchUpDeadline: Int64?
        /// Whether frames are shown without waiting for their time.
        var isUntimed: Bool
    }

    enum Step: Hashable, Sendable {
        /// Nothing to do before this host time; nil: before the loop is woken.
        case wait(until: Int64?)
        /// The clock stops, at this media time where one is given.
        case stall(at: Int64?, wait: Int64?)
        /// The item has ended.
        case end
    }

    /// What holds after a stall.
    struct Refill: Equatable, Sendable {
        /// Whether a frame is there, or no more frames come.
        var hasPicture: Bool
        /// Whether audio is there, or no more audio comes.
        var hasAudio: Bool
        /// Whether playing goes on with what is there.
        var isImmediate: Bool
        var isLikelyToKeepUp: Bool
        /// Whether the item comes from an address.
        var isRemote: Bool
        /// Host time of the stall.
        var since: Int64
    }

    /// How long a picture may be missing before the player stalls, nanoseconds.
    static let patience: Int64 = 200_000_000
    /// How long the loop waits without an event that wakes it, nanoseconds.
    static let pollInterval: Int64 = 100_000_000
    /// How long a local file that keeps up is waited for, nanoseconds.
    static let limit: Int64 = 2_000_000_000
    /// How long an address is waited for, nanoseconds: it would stall again with less.
    static let addressLimit: Int64 = 15_000_000_000

    /// Either the item is over, or the decoder is behind.
    static func step(_ gap: Gap, _ clock: PlaybackClock, now: Int64) -> Step {
        guard gap.hasPictureEnded else { return awaitPicture(gap, clock, now: now) }
        // The last frame is seen for its own time.
        if !gap.isUntimed, let end = gap.pictureEnd.flatMap(clock.hostTime), end > now { return .wait(until: end) }
        guard !gap.hasAudioEnded else { return .end }
        return gap.isStarved && gap.isEmpty
            ? .stall(at: nil, wait: now + pollInterval) : .wait(until: now + pollInterval)
    }

    /// While audio plays, it holds the clock. Otherwise, when the data comes too slowly, the clock stops at the end of
    /// the last frame.
    private static func awaitPicture(_ gap: Gap, _ clock: PlaybackClock, now: Int64) -> Step {
        guard gap.hasAudioEnded || gap.isStarved, let end = gap.pictureEnd,
            let late = clock.hostTime(of: end + patience)
        else { return .wait(until: gap.hasAudioEnded ? nil : now + patience) }
        if late > now { return .wait(until: late) }
        if let deadline = gap.catchUpDeadline, now < deadline { return .wait(until: min(deadline, now + patience)) }
        return .stall(at: end, wait: nil)
    }

    /// - Returns: host time at which to look again; nil: there is enough to play on.
    static func wait(_ refill: Refill, now: Int64) -> Int64? {
        let isLate = now - refill.since > (refill.isRemote ? addressLimit : limit)
        let isEnough = refill.isImmediate || refill.isLikelyToKeepUp || isLate
        return refill.hasPicture && refill.hasAudio && isEnough ? nil : now + pollInterval
    }
}
