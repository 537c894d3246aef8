import SharedFrames

/// A destination that shows frames: an X11 window, a terminal, or a null output.
///
/// A frame is shown in two steps, so that the expensive step runs before the frame's time and the cheap one on time:
/// ``prepare(_:)`` converts and scales the frame into a back buffer, ``present()`` makes that buffer visible. These two
/// methods, ``waitUntilDrawn()``, ``takeFeedback()`` and ``showPlaceholder(_:)`` are called by one thread at a time and
/// may wait for the device. All other members may be used on any thread. ``keepScreenOn(_:)`` may wait for a reply of
/// the device, and ``close()`` for the output's threads; other members wait neither for the device nor for drawing.
package protocol VideoOutput: AnyObject, Sendable {
    /// The name of the output in the command-line option `--vo`.
    var name: String { get }
    /// The size of the drawing area, in pixels of the device.
    var size: PixelSize { get }
    /// Whether pictures are drawn with characters, which show far fewer details than pixels.
    var drawsCharacters: Bool { get }
    /// The scaling of frames whose aspect ratio differs from the area's.
    var gravity: VideoGravity { get set }
    /// Prepares a frame to be shown. The frame replaces a prepared frame that was not presented.
    func prepare(_ frame: VideoFrame)
    /// Sets the overlay above the frames that are prepared from now on; nil removes it.
    func setOverlay(_ overlay: OverlayPicture?)
    /// Returns the area into which an overlay for frames of a format is drawn; nil if the output does not draw
    /// overlays.
    func overlayGeometry(for format: FrameFormat) -> OverlayGeometry?
    /// Returns the rectangle of a picture on the screen, in the screen's pixels; nil if the picture is not visible or
    /// the output has no position on the screen.
    func pictureRectOnScreen(_ format: FrameFormat) -> PixelRect?
    /// Sets the player's controls, which lie above everything, including a placeholder, from the next drawing on; nil
    /// removes them.
    ///
    /// - Parameter coveredRowCount: The number of pixel rows that the controls cover at the lower edge. Text is moved
    ///   above them.
    func setControls(_ controls: OverlayPicture?, covering coveredRowCount: Int)
    /// Shows the prepared frame, if there is one.
    ///
    /// - Returns: The host time (`MonotonicTime`) at which the frame was sent to the device; nil if no frame was shown.
    @discardableResult
    func present() -> Int64?
    /// Returns the reports about frames that reached the screen since the last call of this method; empty if the device
    /// sends no reports.
    func takeFeedback() -> [PresentFeedback]
    /// Waits until the X server has drawn all presented frames. Outputs that are not X11 windows return at once.
    func waitUntilDrawn()
    /// This output as a desktop window; nil if the output is not a window.
    var windowOutput: (any WindowOutput)? { get }
    /// This output as an output that lets the compositor draw in a corner; nil if it does not support that.
    var cornerOutput: (any CornerOutput)? { get }
    /// Sets the title of the window or terminal, if the output has one.
    func setTitle(_ title: String)
    /// Suspends the screensaver if `isKeptOn` is true, and lets it run again if it is false. Has no effect if the
    /// device has no screensaver.
    func keepScreenOn(_ isKeptOn: Bool)
    /// Shows a placeholder with a line of text instead of the video; nil shows black.
    func showPlaceholder(_ text: String?)
    /// Releases the memory of the placeholder picture. The X server reads that memory only while an animation moves the
    /// video away and uncovers the placeholder.
    func releasePlaceholder()
    /// Shows a line of text at the lower edge, such as the position or the volume; nil removes it.
    func showMessage(_ text: String?)
    /// Releases all resources: window, terminal, memory. Afterwards, drawing and further calls of this method have no
    /// effect.
    func close()
}

extension VideoOutput {
    package var drawsCharacters: Bool { false }
    package func takeFeedback() -> [PresentFeedback] { [] }
    package func setOverlay(_ overlay: OverlayPicture?) {}
    package func overlayGeometry(for format: FrameFormat) -> OverlayGeometry? { nil }
    package func pictureRectOnScreen(_ format: FrameFormat) -> PixelRect? { nil }
    package func setControls(_ controls: OverlayPicture?, covering coveredRowCount: Int) {}
    package func waitUntilDrawn() {}
    package func keepScreenOn(_ isKeptOn: Bool) {}
    package func releasePlaceholder() {}
}

extension OverlayGeometry {
    /// Creates the area of an overlay for frames of `format` in a drawing area of `size`.
    package init(size: PixelSize, format: FrameFormat, gravity: VideoGravity) {
        let video = format.orientedSize
        let placement = Placement(picture: video, displaySize: format.displaySize, areaSize: size, gravity: gravity)
        self.init(windowSize: size, pictureRect: placement.destination, videoSize: video)
    }
}

/// The scaling of a picture whose aspect ratio differs from the aspect ratio of its area.
package enum VideoGravity: Sendable {
    /// The whole picture is visible, with black bars beside it.
    case resizeAspect
    /// The picture fills the whole area and is cropped.
    case resizeAspectFill
    /// The picture is stretched to the area.
    case resize
}

/// An event from the user or the system. Outputs publish events on their own threads, so the receiver must pass each
/// event to another thread and return.
package enum OutputEvent: Sendable, Equatable {
    /// A key by mpv's name: `p`, `SPACE`, `LEFT`, `F1`, `ESC`. `CLOSE_WIN` does not occur: see ``closeRequested``.
    case key(String)
    /// A pointer event. Button presses are not also published as keys.
    case pointer(PointerEvent)
    /// The drawing area has this new size in pixels.
    case resized(PixelSize)
    /// The user closed the window.
    case closeRequested
    /// The picture became visible (`true`) or invisible (`false`: minimised, covered, on another workspace).
    case visibilityChanged(Bool)
    /// The window was minimised, left on another workspace or withdrawn (`false`), or is back again (`true`). Other
    /// windows may still cover it.
    case shownChanged(Bool)
    /// The window received (`true`) or lost (`false`) the keyboard focus.
    case focusChanged(Bool)
    /// The window became full screen, or restored its previous frame.
    case fullScreenChanged(Bool)
    /// The window's or terminal's contents were lost and must be drawn again.
    case redrawNeeded
    /// A picture cannot be shown; the text gives the reason. Published once, and the output continues.
    case warning(String)
    /// The device (X server, terminal) is permanently lost; the text gives the reason.
    case lost(String)
}
