import CXCB
import SharedFrames
import SystemCalls
import VideoOutput

/// A surface in a window on an X display.
final class X11Surface: FloatingSurface {
    /// The connection to the X server.
    let connection: XConnection
    /// The keyboard of the X server.
    private let keyboard: XKeyboard
    /// The floating window; `nil` while the surface is closed.
    private(set) var window: PiPWindow?
    /// The full-screen window above which the floating window is kept; `nil` for none.
    var fullScreenWindow: xcb_window_t? {
        didSet { if fullScreenWindow != oldValue { window?.setTransientParent(fullScreenWindow) } }
    }
    /// Whether the program waits for media.
    private var isBuffering = false
    let drawsControls = true, showsLateFrames = true

    /// Creates a closed surface. `keyboard` is the keyboard of the connection; `nil` to create one.
    init(_ connection: XConnection, keyboard: XKeyboard? = nil) {
        self.connection = connection
        self.keyboard = keyboard ?? XKeyboard(connection: connection)
    }

    var content = SurfaceContent() { didSet { applyContent() } }

    /// Passes the controls' state and the overlay in ``content`` to the window.
    private func applyContent() {
        guard let window else { return }
        (window.playback, window.audio) = (content.playback, content.audio)
        window.requiresLinearPlayback = content.requiresLinearPlayback
        (window.overlay, window.loadedUntil) = (content.overlay, content.loadedUntil)
    }

    var isOpen: Bool { window != nil }
    var isReady: Bool { window?.isReady ?? true }
    var isExposed: Bool { window?.isExposed == true }
    var isReturning: Bool { window?.isReturning == true }
    /// Whether the return animation is running and the program's own layer is visible.
    var isProgramLayerVisible: Bool { window?.isProgramLayerVisible == true }
    /// The window's rectangle on the screen; `nil` while the surface is closed.
    var frame: PixelRect? { window?.frame }
    /// The host time of the window's next animation step or query of the pointer; `nil` for none.
    var nextTick: Int64? { window?.nextTick }

    /// Opens a floating window, which appears with the first frame. Returns the size of the picture in pixels; `nil` if
    /// the window was already open.
    func open(_ pictureSize: PixelSize, _ request: SurfaceOpenRequest) -> PixelSize? {
        guard window == nil else { return nil }
        let newWindow = PiPWindow(connection: connection, picture: pictureSize, opening: request, keyboard: keyboard)
        window = newWindow
        if let fullScreenWindow { newWindow.setTransientParent(fullScreenWindow) }
        applyContent()
        _ = newWindow.setBuffering(isBuffering, now: MonotonicTime.now)
        // The window appears together with its first picture, never empty.
        newWindow.map()
        return newWindow.size
    }

    /// Shows the first picture of the opening animation, unless `isOutdated` returns true.
    func showFirstFrame(_ picture: PictureMemory, format: FrameFormat, isOutdated: () -> Bool) -> FirstFrameResult {
        guard let animationWindow = window?.pictureAnimation?.window else { return .unnecessary }
        animationWindow.drawFirstPicture(picture, format: format, overlay: content.overlay)
        guard !isOutdated() else { return .outdated }
        // The program writes each frame into the ring before it draws the frame in its own layer, and cannot draw while
        // the X server is grabbed. So if the ring has no newer frame, the program's layer shows no newer frame either.
        let shownTime = connection.withServerGrabbed { isOutdated() ? nil : animationWindow.presentFirstPicture() }
        guard let shownTime else { return .outdated }
        // The X server shows the first picture while the memory for the next picture is set up.
        animationWindow.prepareConversion(picture, format: format)
        return .shown(shownTime)
    }

    /// Draws a frame. Returns the host time at which it was sent to the screen; `nil` if it has not been sent.
    func show(_ picture: PictureMemory, format: FrameFormat, frameNumber: UInt64) -> Int64? {
        window?.show(picture, format: format)
    }

    func didReceiveFrame(at now: Int64) { window?.busyIndicator.didShowFrame(at: now) }

    func waitUntilProcessed() -> Bool { connection.sync() }

    func finishAnimation() { if window?.isExposed == true { window?.pictureAnimation?.window.finishAnimation() } }

    func beginReturnAnimation(to rect: PixelRect) -> [SurfaceEvent]? {
        guard let window, !window.isReturning else { return nil }
        return window.beginReturnAnimation(to: rect)
    }

    func setSuspended(_ isSuspended: Bool) { window?.setSuspended(isSuspended) }

    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool {
        self.isBuffering = isBuffering
        return window?.setBuffering(isBuffering, now: now) == true
    }

    /// Advances the window's animations to `now`. Returns the resulting events.
    func tick(now: Int64) -> [SurfaceEvent] { window?.tick(now: now) ?? [] }

    func close() { window = nil }
}
