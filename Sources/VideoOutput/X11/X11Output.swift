import CXCB
import Glibc
import SharedFrames
import SystemCalls

/// A player's window under X11 (`--vo=x11`).
///
/// The event thread reads the events of the user and of the window manager. The calling thread draws the frames.
package final class X11Output: WindowOutput {
    /// The state that several threads share.
    struct State {
        var gravity = VideoGravity.resizeAspect
        var fullScreen: FullScreenState
        /// The window's rectangle that the server reported or this process requested, whichever was later.
        var frame: PixelRect
        /// The size that ``WindowSizing`` gave the window for the last picture.
        var nominalSize: PixelSize
        /// The size of the window's picture in square pixels.
        var pictureSize: PixelSize
        /// The change of the window's size that the event thread carries out; nil if none is requested.
        var resizeRequest: ResizeRequest?
        /// Whether the window is maximised in both directions, according to the window manager.
        var isMaximised = false
        /// Whether the parent in which the window was embedded has been destroyed, and the window with it.
        var isDestroyed = false
        /// The last position of the pointer on the screen, in pixels.
        var pointerOnScreen = (x: 0, y: 0)
        /// The position of the window's upper left corner on the screen, as the event thread read it most recently; nil
        /// before that.
        var origin: (x: Int, y: Int)?
        var isClosed = false
        var visibility = WindowVisibility()
        /// Whether the window has the keyboard focus, according to the server's events.
        var hasFocus = false
        /// Whether a drawing failure was reported. Only the first failure is reported.
        var hasReportedFailure = false
        /// The subtitles over the video; nil without subtitles.
        var overlay: OverlayPicture?
        /// The overlay that the application draws, above the subtitles and below the controls.
        var contentOverlay: OverlayPicture?
        /// The player's controls, above all other overlays; nil while they are hidden.
        var controls: OverlayPicture?
        /// The number of pixel rows at the window's lower edge that the player's controls cover.
        var coveredRowCount = 0
        var isPointerHidden = false
        var keepsScreenOn = false
        /// The window's background, with which the X server paints parts that other windows no longer cover.
        var background = Background.colour(0)
        /// Whether the animation that moves the video from this window to another, such as Picture-in-Picture, is
        /// running over the placeholder.
        var isMoveAnimationRunning = false
    }

    /// The content with which the X server paints parts of the window that other windows no longer cover.
    enum Background: Equatable {
        /// A colour, as 0x00RRGGBB.
        case colour(UInt32)
        /// The placeholder as a pixmap, for a window of this size.
        case placeholder(PixelSize)
    }

    package let connection: XConnection
    let window: XWindow
    let surface: XSurface
    let state: Monitor<State>
    let onEvent: @Sendable (OutputEvent) -> Void
    /// The event thread, which reads the events of the X server; nil after ``close()``.
    private let thread = Monitor<NamedThread?>(nil)
    /// Whether a window manager manages the window; false for a window in the window of another program.
    let hasWindowManager: Bool
    /// The window of another program that contains this window; nil for a top-level window.
    let parent: xcb_window_t?
    /// The rules for the size of the window.
    let sizing: WindowSizing
    /// Whether the window keeps its aspect ratio while the user resizes it.
    let keepsAspectRatio: Bool
    let drawPlaceholder: @Sendable (UnsafeMutableRawPointer, PixelSize, Int, String) -> Void

    package var name: String { "x11" }
    package var windowOutput: (any WindowOutput)? { self }

    /// Creates the window and shows it at once, in black.
    ///
    /// - Parameters:
    ///   - connection: A connection that only this output uses.
    ///   - pictureSize: The size of the picture in square pixels.
    ///   - onEvent: Called on the event thread.
    /// - Throws: `XError` if the parent does not exist or the event thread cannot be started.
    package init(
        connection: XConnection, pictureSize: PixelSize, options: Options,
        onEvent: @escaping @Sendable (OutputEvent) -> Void
    ) throws(XError) {
        self.connection = connection
        self.onEvent = onEvent
        (parent, sizing, keepsAspectRatio) = (options.parent, options.sizing, options.keepsAspectRatio)
        hasWindowManager = options.parent == nil && connection.hasWindowManager
        drawPlaceholder = options.drawPlaceholder
        let openedWindow = try Self.openWindow(connection, pictureSize, options, isManaged: hasWindowManager)
        window = openedWindow.window
        surface = XSurface(
            connection: connection, window: window.id, size: openedWindow.frame.size, mode: options.presentMode)
        let isFullScreen = options.isFullScreen && options.parent == nil
        state = Monitor(
            State(
                fullScreen: FullScreenState(
                    isOn: isFullScreen, hasWindowManager: hasWindowManager, monitor: options.fullScreenMonitor,
                    frameBefore: isFullScreen ? openedWindow.normalFrame : nil, now: MonotonicTime.now),
                frame: openedWindow.frame,
                nominalSize: openedWindow.normalFrame.size, pictureSize: pictureSize))
        connection.watchRoot()
        window.map()
        if isFullScreen { requestFullScreenMonitors(options.fullScreenMonitor) }
        do {
            let newThread = try NamedThread("x11 events") { [self] in readEvents() }
            thread.withLock { $0 = newThread }
        } catch { throw XError("cannot start a thread: \(error.reason)") }
    }

    package var size: PixelSize { surface.size }

    package var gravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { state.withLock { $0.gravity = newValue } }
    }

    package func prepare(_ frame: VideoFrame) {
        let (gravity, overlays, isDestroyed) = state.withLock { state in
            (
                state.gravity, [state.overlay, state.contentOverlay, state.controls].compactMap(\.self),
                state.isDestroyed
            )
        }
        guard !isDestroyed else { return }
        let isDrawn = frame.withPicture { picture in
            surface.prepare(
                picture, format: frame.format, gravity: gravity,
                overlay: overlays.isEmpty
                    ? nil
                    : { pixels, size, stride in
                        for overlay in overlays { Self.blend(overlay, over: pixels, size, stride) }
                    })
        }
        // An empty window has no buffer to draw into, which is not an error.
        guard !isDrawn, !size.isEmpty else { return }
        let isFirst = state.withLock { state in
            defer { state.hasReportedFailure = true }
            return !state.hasReportedFailure && !state.isClosed
        }
        if isFirst {
            let layout = frame.format.layout
            onEvent(
                .warning(
                    "cannot draw a \(layout.width)x\(layout.height) \(layout.pixelFormat.name) picture in a window of "
                        + "\(size.width)x\(size.height): out of memory, or unsupported pixel format"))
        }
    }

    /// Blends an overlay over BGRX pixels. Skips an overlay of another size: the window has just been resized, and a
    /// redraw follows at once.
    static func blend(_ overlay: OverlayPicture, over pixels: UnsafeMutableRawPointer, _ size: PixelSize, _ stride: Int)
    {
        if overlay.size == size { OverlayBlender.blend(overlay, into: pixels, size: size, stride: stride) }
    }

    /// Sets the overlay that the application draws over the video; nil removes it. The overlay becomes visible with the
    /// next prepared frame.
    package func setContentOverlay(_ content: OverlayPicture?) { state.withLock { $0.contentOverlay = content } }

    package func setControls(_ controls: OverlayPicture?, covering coveredRowCount: Int) {
        state.withLock { ($0.controls, $0.coveredRowCount) = (controls, coveredRowCount) }
    }

    package func setOverlay(_ overlay: OverlayPicture?) { state.withLock { $0.overlay = overlay } }

    package func overlayGeometry(for format: FrameFormat) -> OverlayGeometry? {
        let (gravity, coveredRowCount) = state.withLock { ($0.gravity, $0.coveredRowCount) }
        var geometry = OverlayGeometry(size: surface.size, format: format, gravity: gravity)
        geometry.coveredRowCount = coveredRowCount
        return geometry
    }

    package func pictureRectOnScreen(_ format: FrameFormat) -> PixelRect? {
        let visibleOrigin = state.withLock { $0.isClosed || !$0.visibility.isVisible ? nil : $0.origin }
        guard let origin = visibleOrigin, !size.isEmpty else { return nil }
        let placement = Placement(
            picture: format.orientedSize, displaySize: format.displaySize, areaSize: size, gravity: gravity)
        let rect = placement.destination
        return PixelRect(x: origin.x + rect.x, y: origin.y + rect.y, width: rect.width, height: rect.height)
    }

    package func present() -> Int64? {
        setBackground(.colour(0))
        return surface.present()
    }

    package func takeFeedback() -> [PresentFeedback] { surface.takeFeedback() }

    /// Waits until the X server has drawn all presented pictures.
    package func waitUntilDrawn() { connection.sync() }

    package func showMessage(_ text: String?) {}

    package func setTitle(_ title: String) {
        window.setTitle(title)
        connection.flush()
    }

    /// Hides or shows the pointer over the window.
    package func setPointerHidden(_ isHidden: Bool) {
        let hasChanged = state.withLock { state in
            defer { state.isPointerHidden = isHidden }
            return state.isPointerHidden != isHidden && !state.isClosed
        }
        if hasChanged { window.setPointerHidden(isHidden) }
    }

    package func keepScreenOn(_ isKeptOn: Bool) {
        let hasChanged = state.withLock { state in
            guard !state.isClosed else { return false }
            defer { state.keepsScreenOn = isKeptOn }
            return state.keepsScreenOn != isKeptOn
        }
        if hasChanged { connection.suspendScreenSaver(isKeptOn) }
    }

    package func disconnect() { connection.disconnect() }

    package func close() {
        keepScreenOn(false)
        let isFirstCall = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirstCall else { return }
        window.unmap()
        window.wake()
        thread.withLock { $0.take() }?.join()
    }
}
