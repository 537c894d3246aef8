/// A frame of the wall that the server has read. Times are seconds of the host's clock.
struct FrameRecord {
    /// When the server had read it.
    let time: Double
    /// How long the main thread worked on it.
    let work: Double
    /// The number of visible posters.
    let visibleCount: Int
    /// How many of them were not ready.
    let placeholderCount: Int
}
