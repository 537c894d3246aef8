import SharedFrames

/// An output that is a desktop window with a pointer. Safe to use from any thread.
package protocol WindowOutput: VideoOutput {
    /// Whether the window is full screen, or was requested to be.
    var isFullScreen: Bool { get }
    /// Whether the window has the keyboard focus; true without a window manager.
    var hasFocus: Bool { get }
    /// Makes the window full screen, or restores its previous frame.
    func setFullScreen(_ isFullScreen: Bool)
    /// Sets the monitor that the window fills from the next time it becomes full screen.
    func setFullScreenMonitor(_ monitor: FullScreenTarget)
    /// Whether the window lies in a window of another program, which has no title bar, full screen and position of its
    /// own.
    var isEmbedded: Bool { get }
    /// The factor by which text and controls are larger than at 96 dots per inch, 1 to 8.
    var displayScale: Double { get }
    /// Adapts the size of the window to a picture of a new item, given in square pixels, according to the options of
    /// the window. A maximised or full-screen window is adapted when it is restored.
    func adaptSize(to picture: PixelSize)
    /// Gives the window the size of its picture multiplied by `scale`, but keeps it on the screen.
    func setScale(_ scale: Double)
    /// Sets whether the window manager keeps the window above others.
    func setOnTop(_ isOnTop: Bool)
    /// Sets whether the window manager draws a title bar and a frame.
    func setDecorated(_ isDecorated: Bool)
    /// Maximises the window, or restores its size.
    func setMaximised(_ isMaximised: Bool)
    /// Minimises the window. ``activate()`` restores it.
    func minimise()
    /// Lets the window manager move the window with the pointer until the user releases the primary button. Has no
    /// effect in full screen and without a window manager.
    func beginMove()
    /// Unminimises and raises the window.
    func activate()
    /// Removes the window from the screen and from the window manager's list. ``activate()`` shows the window again.
    func hide()
    /// Hides or shows the pointer over the window.
    func setPointerHidden(_ isHidden: Bool)
    /// Sets the overlay that the application draws over the video; nil removes it. The overlay becomes visible with the
    /// next prepared frame.
    func setContentOverlay(_ content: OverlayPicture?)
    /// Shuts the connection to the display server down. Method calls that wait for the server return, and later drawing
    /// has no effect.
    func disconnect()
}

/// An output in which the compositor can draw a corner of the area. Safe to use from any thread.
package protocol CornerOutput: VideoOutput {
    /// Reserves a corner for the compositor, and draws only around it until ``closeCorner()``.
    ///
    /// - Parameters:
    ///   - picture: The intended size of the compositor's picture.
    ///   - onDrawingAllowed: Called on a thread of the output when the compositor may draw, and whenever it must
    ///     redraw the whole corner.
    /// - Returns: False if the area is too small or not shared with the compositor.
    func openCorner(for picture: PixelSize, onDrawingAllowed: @escaping @Sendable () -> Void) -> Bool
    /// Takes the corner back from the compositor as soon as the next picture is drawn, or at ``redrawCorner()`` if
    /// no picture follows. Further calls of this method have no effect.
    func closeCorner()
    /// Redraws the cells that the compositor used until ``closeCorner()``, unless a picture was drawn since then.
    func redrawCorner()
}

extension VideoOutput {
    package var windowOutput: (any WindowOutput)? { nil }
    package var cornerOutput: (any CornerOutput)? { nil }
    /// Whether the output is a desktop window, which a lock screen or screensaver would cover.
    package var isOnDesktop: Bool { windowOutput != nil }
    package func setTitle(_ title: String) {}
}
