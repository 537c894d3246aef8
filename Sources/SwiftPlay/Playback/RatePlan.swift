/// Decides the consequences of a new requested rate: a pure value.
struct RatePlan: Equatable, Sendable {
    enum Action: Hashable, Sendable {
        /// Stop the device and the clock.
        case halt
        /// Update the audio session. Before ``publishPaused``: observers may deactivate the session immediately.
        case updateSession
        case publishPaused
        /// Wait for an item to play.
        case waitForItem
        case changeClockRate
        /// Seek to the current time: the buffered audio has the old rate.
        case renewAudio
        case publishPlaying
        /// Seek to the frame that was stepped to, so that audio is aligned with it.
        case seekToSteppedFrame
        /// Wait until there is enough data to play.
        case waitForData
    }

    /// The requested rate.
    var rate: Float
    /// The phase of the current item; nil without an item.
    var phase: PlaybackPhase?
    var clockRate: Double
    /// Whether there is audio that has not been played to its end.
    var hasAudio: Bool
    var isSeekable: Bool
    /// Whether the picture was stepped since the last seek.
    var isStepped: Bool

    var actions: [Action] {
        guard let phase else { return rate == 0 ? [.publishPaused] : [.waitForItem] }
        if rate == 0 { return (phase == .playing ? [.halt] : []) + [.updateSession, .publishPaused] }
        guard phase == .playing else { return (isStepped ? [.seekToSteppedFrame] : []) + [.waitForData] }
        guard clockRate != Double(rate) else { return [] }
        return [.changeClockRate] + (hasAudio && isSeekable ? [.renewAudio] : []) + [.publishPlaying]
    }
}
