/// Decides where an item ends, and what follows: a pure value. Times are media times in nanoseconds unless stated
/// otherwise.
enum EndPlan {
    /// The section of the item that is repeated, in nanoseconds of media time. An end of `Int64.max` means the item's
    /// own end.
    typealias Loop = (start: Int64, end: Int64)

    /// The player's action when an item reaches its end.
    enum Outcome: Hashable, Sendable {
        /// No action, because the end was already handled.
        case none
        /// The item fails, because no frame could be decoded.
        case fail
        /// Playback jumps to this media time, the loop's start.
        case loop(to: Int64)
        /// Playback ends, with these actions in order.
        case end([Action])
    }

    /// An action of the player at the end of playback.
    enum Action: Hashable, Sendable {
        /// Notify observers of the end.
        case notify
        /// Pause the player.
        case pause
        /// Continue with the next item of the queue.
        case advance
        /// Let the player's clock run on after the item's end.
        case continueClock
    }

    /// The largest distance past a loop's end, in nanoseconds, from which playback still jumps to the loop's start. A
    /// position further past the end results from a seek.
    static let loopTolerance: Int64 = 1_000_000_000

    /// Returns the player's action when an item reaches its end.
    ///
    /// - Parameters:
    ///   - hasReportedEnd: Whether the end was reported since the last seek.
    ///   - isUnplayable: Whether the item has video of which no frame was shown, and no audio for the device.
    ///   - loopStart: See ``loopStart(_:duration:isSeekable:)``.
    static func outcome(
        hasReportedEnd: Bool, isUnplayable: Bool, loopStart: Int64?, actionAtItemEnd: PlayerActionAtItemEnd
    ) -> Outcome {
        guard !hasReportedEnd else { return .none }
        guard !isUnplayable else { return .fail }
        if let loopStart { return .loop(to: loopStart) }
        // Pause before notifying observers: an observer that resumes playback must not be paused afterwards.
        return .end(actionAtItemEnd == .pause ? [.pause, .notify] : [.notify, action(for: actionAtItemEnd)])
    }

    /// Returns the action for the program's setting ``Player/actionAtItemEnd``.
    static func action(for actionAtItemEnd: PlayerActionAtItemEnd) -> Action {
        switch actionAtItemEnd {
        case .advance: .advance
        case .pause: .pause
        case .none: .continueClock
        }
    }

    /// Returns whether a change of the action at the item's end takes effect although the end was already reported. It
    /// does only while the clock runs on after the end, which the action `.none` causes.
    static func appliesImmediately(hasReportedEnd: Bool, phase: PlaybackPhase?) -> Bool {
        hasReportedEnd && phase == .playing
    }

    /// Returns the known end of an item: the time set by the program, limited by the duration.
    static func endTime(forwardPlaybackEndTime: Int64?, duration: Int64?) -> Int64? {
        guard let duration else { return forwardPlaybackEndTime }
        return forwardPlaybackEndTime.map { min($0, duration) } ?? duration
    }

    /// Returns the time from which frames are not shown even if the item has more frames: the end set by the program,
    /// else the loop's end; nil if neither is set. The loop has no effect on a position past its end.
    static func firstHiddenFrameTime(forwardPlaybackEndTime: Int64?, loop: Loop?, time: Int64) -> Int64? {
        if let forwardPlaybackEndTime { return forwardPlaybackEndTime }
        guard let loop, loop.end != .max, loop.end > time else { return nil }
        return loop.end
    }

    /// Returns the start of the loop; nil without a loop, or if the item is not seekable.
    static func loopStart(_ loop: Loop?, duration: Int64?, isSeekable: Bool) -> Int64? {
        guard let loop, isSeekable, loop.start < duration ?? .max else { return nil }
        return loop.start
    }

    /// Returns whether playback has reached the loop's end.
    ///
    /// - Parameter now: The present host time.
    static func hasReachedEnd(of loop: Loop?, _ clock: PlaybackClock, now: Int64) -> Bool {
        guard let loop, loop.end != .max, let endHostTime = clock.hostTime(of: loop.end) else { return false }
        return endHostTime <= now && clock.time(at: now) - loop.end < loopTolerance
    }

    /// Returns the time at which a player that pauses at the end stops; nil for the clock's time. The video may be
    /// longer than the container's duration states.
    ///
    /// - Parameter lastFrameEndTime: The end of the last frame; nil if no frame was shown.
    static func pausedTime(forwardPlaybackEndTime: Int64?, duration: Int64?, lastFrameEndTime: Int64?) -> Int64? {
        guard let duration else { return nil }
        if let lastFrameEndTime, lastFrameEndTime > duration { return nil }
        return endTime(forwardPlaybackEndTime: forwardPlaybackEndTime, duration: duration)
    }
}
