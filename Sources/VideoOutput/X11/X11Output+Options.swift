import CXCB
import SharedFrames

extension X11Output {
    /// The properties of a new window.
    package struct Options: Sendable {
        package var title = "SwiftPlay"
        /// The instance name in the window's `WM_CLASS` property.
        package var instanceName = "swiftplay"
        /// The class name in the window's `WM_CLASS` property.
        package var className = "swiftplay"
        /// The rules for the size and position of the window. Without options, the window has the picture's size, at
        /// most the size of the work area, and the window manager chooses its position.
        package var sizing = WindowSizing()
        /// The window of another program in which the pictures are shown; nil for a window of its own.
        package var parent: xcb_window_t?
        /// The index of the monitor on which the window opens: 0 is the primary monitor. If nil or too high, the window
        /// manager chooses the monitor.
        package var monitorIndex: Int?
        /// Whether the window keeps its aspect ratio while the user resizes it.
        package var keepsAspectRatio = true
        package var isFullScreen = false
        /// The monitor that the window fills in full screen.
        package var fullScreenMonitor = FullScreenTarget.current
        /// Whether the window manager keeps the window above others.
        package var isOnTop = false
        /// Whether the window manager draws a title bar and a frame.
        package var hasDecorations = true
        /// Whether the window opens minimised.
        package var isMinimised = false
        /// Whether the window opens maximised.
        package var isMaximised = false
        /// The use of the X Present extension, from the option `--x11-present`.
        package var presentMode = XPresentMode.auto
        /// Draws the placeholder. Parameters: the BGRX pixels, their size, the stride in bytes, and the line of text
        /// that explains why the window shows no video.
        package var drawPlaceholder: @Sendable (UnsafeMutableRawPointer, PixelSize, Int, String) -> Void = {
            pixels, size, stride, _ in
            PlaceholderPicture.draw(pixels: pixels, size: size, stride: stride)
        }
        package init() {}
    }
}
