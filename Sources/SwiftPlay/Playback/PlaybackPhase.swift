/// The stage of an item on its way to playback.
enum PlaybackPhase: Hashable, Sendable {
    case opening
    /// Waiting for the first frame and audio after opening or a seek.
    case priming
    /// The first frame is visible. The item is paused, or waits for the data that playback needs.
    case ready
    case playing
    case failed
}
