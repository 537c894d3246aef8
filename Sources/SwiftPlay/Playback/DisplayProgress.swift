import SharedFrames

/// The state of the next frame on its way to the display.
struct DisplayProgress {
    /// The frame that the layer's router has prepared.
    var prepared: VideoFrame?
    /// Decides whether a late frame is shown or dropped.
    var grace = FrameGrace()
    /// The lead time by which frames are passed to the display, nanoseconds.
    var lead = FramePacing.lead
    /// The layer whose screen is kept on.
    weak var awake: (any PlayerPictureTarget)?
}
