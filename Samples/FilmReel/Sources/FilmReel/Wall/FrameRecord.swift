/// A frame of the wall that the X server has read. Times are in seconds.
struct FrameRecord {
    /// The host time at which the X server had read the frame.
    let time: Double
    /// The time that the main thread worked on the frame.
    let workTime: Double
    /// The number of visible posters.
    let visibleCount: Int
    /// The number of visible posters that were drawn as placeholders.
    let placeholderCount: Int
}
