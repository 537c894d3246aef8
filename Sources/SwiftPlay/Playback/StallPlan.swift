/// Decides the reaction of the player to data that arrives too slowly: pure functions.
enum StallPlan {
    /// The situation of a playing item without a decoded frame.
    struct UnderrunState: Equatable, Sendable {
        /// Whether no video frame follows.
        var hasVideoEnded: Bool
        /// Whether no audio follows.
        var hasAudioEnded: Bool
        /// Whether the audio pipeline has run out of samples.
        var isAudioStarved: Bool
        /// Whether no data is buffered although the item's end has not been read.
        var isBufferEmpty: Bool
        /// The end of the last frame shown, in nanoseconds of media time; nil if no frame was shown.
        var lastFrameEndTime: Int64?
        /// The host time until which a scheduled start catches up instead of stalling.
        var catchUpDeadline: Int64?
        /// Whether frames are shown without waiting for their times.
        var isUntimed: Bool
    }

    /// The player's action when no decoded frame is available.
    enum Action: Hashable, Sendable {
        /// No action before this host time; nil to wait for an event.
        case wait(until: Int64?)
        /// Stop the clock at the media time `at`; nil stops it at its present time. Check again at the host time
        /// `checkAgainAt`; nil to wait for an event.
        case stall(at: Int64?, checkAgainAt: Int64?)
        /// The item has ended.
        case end
    }

    /// The situation of an item whose playback has stalled.
    struct StalledState: Equatable, Sendable {
        /// Whether a frame is decoded, or no more frames follow.
        var isVideoReady: Bool
        /// Whether audio is decoded, or no more audio follows.
        var isAudioReady: Bool
        /// Whether playback continues at once with the data that is loaded, without waiting for more.
        var startsImmediately: Bool
        /// Whether enough media is loaded that playback will not stall again soon.
        var isLikelyToKeepUp: Bool
        /// Whether the item is read from a network address.
        var isRemote: Bool
        /// The host time at which playback stalled.
        var stallHostTime: Int64
    }

    /// The delay of the next frame after which the player stalls, in nanoseconds.
    static let stallDelay: Int64 = 200_000_000
    /// The time between checks while no event is expected, in nanoseconds.
    static let pollInterval: Int64 = 100_000_000
    /// The longest wait after playback from a local file has stalled, in nanoseconds.
    static let longestLocalWait: Int64 = 2_000_000_000
    /// The longest wait after playback from a network address has stalled, in nanoseconds. It is longer than for a
    /// file, because with little data playback would soon stall again.
    static let longestNetworkWait: Int64 = 15_000_000_000

    /// Decides what follows an empty frame queue: the item has ended, or the decoder is late.
    static func action(for underrun: UnderrunState, _ clock: PlaybackClock, now: Int64) -> Action {
        guard underrun.hasVideoEnded else { return waitForNextFrame(underrun, clock, now: now) }
        // The last frame is shown for its full duration.
        if !underrun.isUntimed, let end = underrun.lastFrameEndTime.flatMap(clock.hostTime), end > now {
            return .wait(until: end)
        }
        guard !underrun.hasAudioEnded else { return .end }
        return underrun.isAudioStarved && underrun.isBufferEmpty
            ? .stall(at: nil, checkAgainAt: now + pollInterval) : .wait(until: now + pollInterval)
    }

    /// Waits for the next frame. Audio that plays keeps the clock running; otherwise the clock stops at the end of the
    /// last frame.
    private static func waitForNextFrame(_ underrun: UnderrunState, _ clock: PlaybackClock, now: Int64) -> Action {
        guard underrun.hasAudioEnded || underrun.isAudioStarved, let end = underrun.lastFrameEndTime,
            let stallTime = clock.hostTime(of: end + stallDelay)
        else { return .wait(until: underrun.hasAudioEnded ? nil : now + stallDelay) }
        if stallTime > now { return .wait(until: stallTime) }
        if let deadline = underrun.catchUpDeadline, now < deadline {
            return .wait(until: min(deadline, now + stallDelay))
        }
        return .stall(at: end, checkAgainAt: nil)
    }

    /// Decides whether to wait longer for data after a stall.
    ///
    /// - Returns: The host time at which to call this method again; nil if there is enough data to continue.
    static func nextCheckTime(for stalledState: StalledState, now: Int64) -> Int64? {
        let isLate = now - stalledState.stallHostTime > (stalledState.isRemote ? longestNetworkWait : longestLocalWait)
        let hasEnoughMedia = stalledState.startsImmediately || stalledState.isLikelyToKeepUp || isLate
        return stalledState.isVideoReady && stalledState.isAudioReady && hasEnoughMedia ? nil : now + pollInterval
    }
}
