import SharedFrames

/// An output that is a window of a desktop, with a pointer over it. Any thread.
package protocol WindowOutput: VideoOutput {
    var isFullScreen: Bool { get }
    /// Fills the screen, or goes back to the place that the window had.
    func setFullScreen(_ on: Bool)
    /// Brings the window before the user: unminimised, on top.
    func activate()
    /// Takes the window off the screen, and its place in a window manager's list with it; ``activate()`` brings it
    /// back.
    func hide()
    /// Shows no pointer over the window.
    func setPointerHidden(_ hidden: Bool)
    /// Sets a program's own pictures over the film; seen with the next frame that is prepared.
    func setContentOverlay(_ content: OverlayPicture?)
    /// Ends the connection to the display server: calls that wait for the server return, and nothing is drawn any more.
    func disconnect()
}

/// An output that can leave a corner of its place to another process. Any thread.
package protocol CornerOutput: VideoOutput {
    /// Leaves a corner to the other process, and draws around it until ``closeCorner()``.
    ///
    /// - Parameters:
    ///   - picture: the size in which it is meant to be seen.
    ///   - onGiven: called on a thread of the output's when the other may draw, and each time that all of the corner
    ///     has to be drawn anew.
    /// - Returns: false when the place is too small, or shared with no other process.
    func openCorner(for picture: PixelSize, onGiven: @escaping @Sendable () -> Void) -> Bool
    /// Takes the corner back with the next picture, or with ``settle()`` where none follows at once. Idempotent.
    func closeCorner()
    /// Draws the corner that was taken back, if no picture has come.
    func settle()
}

extension VideoOutput {
    package var windowOutput: (any WindowOutput)? { nil }
    package var cornerOutput: (any CornerOutput)? { nil }
    /// A lock screen or screensaver would cover it.
    package var isOnDesktop: Bool { windowOutput != nil }
    package func setTitle(_ title: String) {}
}
