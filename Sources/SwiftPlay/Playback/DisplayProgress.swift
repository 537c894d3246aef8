import SharedFrames

/// The next frame on its way to the display.
struct DisplayProgress {
    /// The frame that the layer's router has ready.
    var prepared: VideoFrame?
    /// Decides whether a late frame is shown or dropped.
    var grace = FrameGrace()
    /// Nanoseconds by which frames are given to the display before their time.
    var lead = FramePacing.lead
    /// The layer whose screen is kept on.
    weak var awake: (any PlayerPictureTarget)?
}
