/// Decides the consequences of a new requested rate: a pure value.
struct RatePlan: Equatable, Sendable {
    /// A consequence of the new rate.
    enum Action: Hashable, Sendable {
        /// Stop the device and the clock.
        case stopDeviceAndClock
        /// Update the audio session. Before ``publishPaused``: observers may deactivate the session immediately.
        case updateSession
        /// Publish that the player is paused.
        case publishPaused
        /// Publish that the player waits, because there is no item to play.
        case publishWaitingForItem
        /// Set the clock's rate without changing its current time.
        case changeClockRate
        /// Seek to the current time, because the buffered audio was stretched for the old rate.
        case rebufferAudio
        /// Publish that the player plays.
        case publishPlaying
        /// Seek to the frame that was stepped to, so that audio is aligned with it.
        case seekToSteppedFrame
        /// Wait until there is enough data to play.
        case publishWaitingForData
    }

    /// The new playback rate that the program has requested.
    var rate: Float
    /// The phase of the current item; nil without an item.
    var phase: PlaybackPhase?
    /// The rate of the clock; 0 while it is stopped.
    var clockRate: Double
    /// Whether there is audio that has not been played to its end.
    var hasAudio: Bool
    var isSeekable: Bool
    /// Whether the program has stepped by frames since the last seek.
    var wasStepped: Bool

    /// The consequences, in order.
    var actions: [Action] {
        guard let phase else { return rate == 0 ? [.publishPaused] : [.publishWaitingForItem] }
        if rate == 0 { return (phase == .playing ? [.stopDeviceAndClock] : []) + [.updateSession, .publishPaused] }
        guard phase == .playing else { return (wasStepped ? [.seekToSteppedFrame] : []) + [.publishWaitingForData] }
        guard clockRate != Double(rate) else { return [] }
        return [.changeClockRate] + (hasAudio && isSeekable ? [.rebufferAudio] : []) + [.publishPlaying]
    }
}
