/// How far an item is on its way to being played.
enum PlaybackPhase: Hashable, Sendable {
    case opening
    /// Waiting for the first frame (and audio) after opening or a seek.
    case priming
    /// The first frame is on screen; the item is paused, or waits for the rest that playing needs.
    case ready
    case playing
    case failed
}
