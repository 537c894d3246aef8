/// The phase of an item between the start of opening and the end of playback.
enum PlaybackPhase: Hashable, Sendable {
    /// The source is being opened.
    case opening
    /// The player waits for the first frame and audio after opening or a seek.
    case priming
    /// The first frame is visible. The item is paused, or waits for the data that playback needs.
    case ready
    /// The item plays: the player's clock runs.
    case playing
    /// The item cannot be played.
    case failed
}
