import SharedFrames

/// A place where frames are shown: an X11 window, a terminal, nowhere.
///
/// Showing is in two steps, so that the costly one is done before its time and the cheap one on it: ``prepare(_:)``
/// converts and scales the frame into a back buffer, ``present()`` makes it visible. Both, ``finish()`` and
/// ``showPlaceholder(_:)`` are called by one thread at a time and may wait for the device; everything else may be
/// called from any thread, and waits for neither the device nor a thread that draws.
package protocol VideoOutput: AnyObject, Sendable {
    /// Name as `--vo` has it.
    var name: String { get }
    /// The area that frames are drawn into, in pixels of the device.
    var size: PixelSize { get }
    /// What becomes of a frame of another shape than the area.
    var gravity: VideoGravity { get set }
    /// Makes the frame ready to be shown. Replaces a frame that was prepared and not presented.
    func prepare(_ frame: VideoFrame)
    /// What lies over the frames that are prepared from now on; nil for nothing.
    func setOverlay(_ overlay: OverlayPicture?)
    /// Where an overlay for frames of a format belongs; nil: overlays are not drawn here.
    func overlayPlace(for format: FrameFormat) -> OverlayPlace?
    /// Where on the screen a picture of a format is seen, in the screen's pixels; nil where it is not, or there is no
    /// such place.
    func pictureOnScreen(_ format: FrameFormat) -> PixelRect?
    /// What lies over all of it from the next drawing on, a placeholder too: a player's controls; nil for nothing.
    ///
    /// - Parameter covered: rows at the lower edge that they cover: text is lifted above them.
    func setControls(_ controls: OverlayPicture?, covering covered: Int)
    /// Shows what was prepared; does nothing when there is nothing.
    ///
    /// - Returns: the host time (`MonotonicTime`) at which it was given to the device; nil when nothing was shown.
    @discardableResult
    func present() -> Int64?
    /// What came on screen since this was asked last, in order; empty where the device does not tell.
    func takeFeedback() -> [PresentFeedback]
    /// Returns when the device has drawn everything so far.
    func finish()
    /// The output as a window of a desktop; nil where it is none.
    var windowOutput: (any WindowOutput)? { get }
    /// The output as a place with a corner for another process; nil where it has none.
    var cornerOutput: (any CornerOutput)? { get }
    /// Names what is shown, where there is a place for that.
    func setTitle(_ title: String)
    /// Holds the screensaver back while `on`, where there is one.
    func keepScreenOn(_ on: Bool)
    /// Shows a placeholder in the picture's place, with a line of text; nil for plain black.
    func showPlaceholder(_ text: String?)
    /// Gives back what was kept so that nothing black is seen where a picture flies away from over the placeholder.
    func settlePlaceholder()
    /// A line of text over the lower edge for the user (position, volume); nil takes it away.
    func showMessage(_ text: String?)
    /// Gives everything back: window, terminal, memory. What is drawn after that is not seen. Idempotent.
    func close()
}

extension VideoOutput {
    package func takeFeedback() -> [PresentFeedback] { [] }
    package func setOverlay(_ overlay: OverlayPicture?) {}
    package func overlayPlace(for format: FrameFormat) -> OverlayPlace? { nil }
    package func pictureOnScreen(_ format: FrameFormat) -> PixelRect? { nil }
    package func setControls(_ controls: OverlayPicture?, covering covered: Int) {}
    package func finish() {}
    package func keepScreenOn(_ on: Bool) {}
    package func settlePlaceholder() {}
}

extension OverlayPlace {
    /// Where an overlay for frames of `format` lies in an area of a `size`.
    package init(size: PixelSize, format: FrameFormat, gravity: VideoGravity) {
        let video = format.orientedSize
        let placement = Placement(picture: video, displaySize: format.displaySize, place: size, gravity: gravity)
        self.init(size: size, picture: placement.destination, video: video)
    }
}

/// What becomes of a picture of another shape than its place.
package enum VideoGravity: Sendable {
    /// All of it is seen, with black beside it.
    case resizeAspect
    /// All of the place is filled, the picture is cut.
    case resizeAspectFill
    /// Stretched.
    case resize
}

/// What a user or the system does to an output. Called on the output's own thread: hand it on and return.
package enum OutputEvent: Sendable, Equatable {
    /// A key by mpv's name: `p`, `SPACE`, `LEFT`, `F1`, `ESC`, `CLOSE_WIN` is not a key here.
    case key(String)
    /// Where there is a pointer. What it presses is not told as a key, too.
    case pointer(PointerEvent)
    case resized(PixelSize)
    /// The user closed the window, or the terminal hung up.
    case closeRequested
    /// The picture's place is on screen, or has left it (minimised, covered, other workspace).
    case visibilityChanged(Bool)
    /// It was minimised, left on another workspace, or taken off the screen; or is there again, be it below other
    /// windows.
    case shownChanged(Bool)
    case fullScreenChanged(Bool)
    /// Contents were lost and must be drawn anew by who knows them.
    case redrawNeeded
    /// Something cannot be shown, in a line; told once, the output goes on.
    case trouble(String)
    /// The device is gone for good (X server, terminal); a line that says so.
    case lost(String)
}
