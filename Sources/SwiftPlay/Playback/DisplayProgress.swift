import SharedFrames

/// The frame that is shown next, and the rules for showing it on time.
struct DisplayProgress {
    /// The frame that the layer's router has drawn in advance; nil if there is none.
    var preparedFrame: VideoFrame?
    /// Decides whether a late frame is shown or dropped.
    var dropPolicy = FrameDropPolicy()
    /// The time by which a frame is passed to the display server before it should be visible, in nanoseconds.
    var leadTime = FramePacing.initialLeadTime
    /// The layer for which the player inhibits the screensaver; nil while the screensaver is not inhibited.
    weak var layerInhibitingScreensaver: (any PlayerPictureTarget)?
}
