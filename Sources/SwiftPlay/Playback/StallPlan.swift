/// Decides how the player reacts to data that arrives too slowly: pure functions.
enum StallPlan {
    /// The situation of a playing item without a decoded frame.
    struct UnderrunState: Equatable, Sendable {
        /// Whether no video frame follows.
        var hasPictureEnded: Bool
        /// Whether no audio follows.
        var hasAudioEnded: Bool
        /// Whether the audio pipeline has run out of samples.
        var isStarved: Bool
        /// Whether no data is buffered although the item's end has not been read.
        var isEmpty: Bool
        /// The end of the last frame shown, media nanoseconds; nil if no frame was shown.
        var pictureEnd: Int64?
        /// Host time until which a scheduled start catches up instead of stalling.
        var catchUpDeadline: Int64?
        /// Whether frames are shown without waiting for their times.
        var isUntimed: Bool
    }

    /// The player's action when no decoded frame is available.
    enum Action: Hashable, Sendable {
        /// No action before this host time; nil to wait for an event.
        case wait(until: Int64?)
        /// Stop the clock, at this media time if given. Check again at the host time `wait`; nil to wait for an event.
        case stall(at: Int64?, wait: Int64?)
        /// The item has ended.
        case end
    }

    /// The situation of an item whose playback has stalled.
    struct StalledState: Equatable, Sendable {
        /// Whether a frame is decoded, or no more frames follow.
        var hasPicture: Bool
        /// Whether audio is decoded, or no more audio follows.
        var hasAudio: Bool
        /// Whether playback continues with the data that is loaded.
        var isImmediate: Bool
        /// Whether enough media is loaded that playback will not stall again soon.
        var isLikelyToKeepUp: Bool
        /// Whether the item is read from a network address.
        var isRemote: Bool
        /// Host time at which playback stalled.
        var since: Int64
    }

    /// How long the next frame may be late before the player stalls, nanoseconds.
    static let stallDelay: Int64 = 200_000_000
    /// The time between checks while no event is expected, nanoseconds.
    static let pollInterval: Int64 = 100_000_000
    /// The longest wait after playback from a local file has stalled, nanoseconds.
    static let longestLocalWait: Int64 = 2_000_000_000
    /// The longest wait after playback from a network address has stalled, nanoseconds. It is longer than for a file,
    /// because with little data playback would soon stall again.
    static let longestNetworkWait: Int64 = 15_000_000_000

    /// Decides what follows an empty frame queue: the item has ended, or the decoder is late.
    static func action(for underrun: UnderrunState, _ clock: PlaybackClock, now: Int64) -> Action {
        guard underrun.hasPictureEnded else { return waitForNextFrame(underrun, clock, now: now) }
        // The last frame is shown for its full duration.
        if !underrun.isUntimed, let end = underrun.pictureEnd.flatMap(clock.hostTime), end > now {
            return .wait(until: end)
        }
        guard !underrun.hasAudioEnded else { return .end }
        return underrun.isStarved && underrun.isEmpty
            ? .stall(at: nil, wait: now + pollInterval) : .wait(until: now + pollInterval)
    }

    /// Waits for the next frame. Audio that plays keeps the clock running; otherwise the clock stops at the end of the
    /// last frame.
    private static func waitForNextFrame(_ underrun: UnderrunState, _ clock: PlaybackClock, now: Int64) -> Action {
        guard underrun.hasAudioEnded || underrun.isStarved, let end = underrun.pictureEnd,
            let late = clock.hostTime(of: end + stallDelay)
        else { return .wait(until: underrun.hasAudioEnded ? nil : now + stallDelay) }
        if late > now { return .wait(until: late) }
        if let deadline = underrun.catchUpDeadline, now < deadline {
            return .wait(until: min(deadline, now + stallDelay))
        }
        return .stall(at: end, wait: nil)
    }

    /// Decides whether to wait longer for data after a stall.
    ///
    /// - Returns: Host time at which to call again; nil if there is enough data to continue.
    static func wait(_ stalled: StalledState, now: Int64) -> Int64? {
        let isLate = now - stalled.since > (stalled.isRemote ? longestNetworkWait : longestLocalWait)
        let isEnough = stalled.isImmediate || stalled.isLikelyToKeepUp || isLate
        return stalled.hasPicture && stalled.hasAudio && isEnough ? nil : now + pollInterval
    }
}
