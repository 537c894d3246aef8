import CXCB
import Glibc
import SharedFrames
import SystemCalls

/// A player's window under X11: `--vo=x11`.
///
/// The thread "x11 events" reads what the user and the window manager do; frames are drawn by whoever presents.
package final class X11Output: WindowOutput {
    package struct Options: Sendable {
        package var title = "SwiftPlay"
        /// `WM_CLASS`, instance and name.
        package var instanceName = "swiftplay"
        package var className = "swiftplay"
        /// `--geometry`; nil: the picture's size, or what the work area has room for, where the window manager places
        /// it.
        package var geometry: WindowGeometry?
        package var isFullScreen = false
        /// `--x11-present`
        package var presentMode = XPresentMode.auto
        /// Draws what stands in the picture's place, with the line that says why: BGRX pixels, size, stride.
        package var drawPlaceholder: @Sendable (UnsafeMutableRawPointer, PixelSize, Int, String) -> Void = {
            pixels, size, stride, _ in
            PlaceholderPicture.draw(pixels: pixels, size: size, stride: stride)
        }
        package init() {}
    }

    struct State {
        var gravity = VideoGravity.resizeAspect
        var isFullScreen = false
        /// Asked of the window manager, which has not done it yet.
        var awaitsFullScreen = false
        var frameBeforeFullScreen: PixelRect?
        var frame: PixelRect
        /// The window's upper left corner on the screen, as the event thread read it last.
        var origin: (x: Int, y: Int)?
        var isClosed = false
        var sight = WindowSight()
        /// Told that a picture could not be drawn.
        var hasComplained = false
        var overlay: OverlayPicture?
        /// A program's own pictures, over the subtitles and below the controls.
        var content: OverlayPicture?
        var controls: OverlayPicture?
        /// Rows that the controls cover.
        var covered = 0
        var isPointerHidden = false
        var keepsScreenOn = false
        /// What the server itself paints where the window is uncovered.
        var ground = Ground.colour(0)
        /// The placeholder came a moment ago: the picture flies away over it.
        var isUncovering = false
    }

    enum Ground: Equatable {
        case colour(UInt32)
        /// A placeholder for a window of this size.
        case placeholder(PixelSize)
    }

    package let connection: XConnection
    let window: XWindow
    let surface: XSurface
    let state: Monitor<State>
    let onEvent: @Sendable (OutputEvent) -> Void
    private let thread = Monitor<NamedThread?>(nil)
    private let hasWindowManager: Bool
    let drawPlaceholder: @Sendable (UnsafeMutableRawPointer, PixelSize, Int, String) -> Void

    package var name: String { "x11" }
    package var windowOutput: (any WindowOutput)? { self }

    /// Makes the window and shows it, black, at once.
    ///
    /// - Parameters:
    ///   - connection: this output's own.
    ///   - pictureSize: in square pixels.
    ///   - onEvent: called on the event thread.
    package init(
        connection: XConnection, pictureSize: PixelSize, options: Options,
        onEvent: @escaping @Sendable (OutputEvent) -> Void
    ) throws(XError) {
        self.connection = connection
        self.onEvent = onEvent
        hasWindowManager = connection.hasWindowManager
        drawPlaceholder = options.drawPlaceholder
        let screen = PixelSize(width: connection.screenSize.width, height: connection.screenSize.height)
        let geometry = options.geometry ?? WindowGeometry()
        let area = connection.workArea(isManaged: hasWindowManager)
        var normal = geometry.frame(picture: pictureSize, screen: screen, available: area)
        let fillsScreen = options.isFullScreen && !hasWindowManager
        var frame = fillsScreen ? PixelRect(x: 0, y: 0, width: screen.width, height: screen.height) : normal
        window = XWindow(connection: connection, frame: frame)
        window.setTitle(options.title)
        window.setClass(instance: options.instanceName, name: options.className)
        window.setProtocols()
        window.setInputHint(true)
        window.set(connection.atoms.windowType, type: XCB_ATOM_ATOM.rawValue, [connection.atoms.typeNormal])
        let roomy = WindowDecorations.generous.inside(of: area)
        if hasWindowManager, geometry.frame(picture: pictureSize, screen: screen, available: roomy).size != normal.size
        {
            // Asked only where it matters, since the first picture waits for the answer. The window has its type and
            // class by now, which its decorations depend on.
            let inside = window.estimateDecorations().inside(of: area)
            normal = geometry.frame(picture: pictureSize, screen: screen, available: inside)
            frame = normal
            window.setFrame(frame, isFlushed: false)
        }
        window.setSizeHints(
            position: options.geometry?.hasPosition == true ? (frame.x, frame.y) : nil, size: frame.size,
            minimum: PixelSize(width: 32, height: 32), aspect: nil)
        if options.isFullScreen {
            window.set(connection.atoms.netWMState, type: XCB_ATOM_ATOM.rawValue, [connection.atoms.stateFullScreen])
        }
        surface = XSurface(connection: connection, window: window.id, size: frame.size, mode: options.presentMode)
        state = Monitor(
            State(
                isFullScreen: options.isFullScreen, awaitsFullScreen: options.isFullScreen && hasWindowManager,
                frameBeforeFullScreen: options.isFullScreen ? normal : nil, frame: frame))
        connection.watchRoot()
        window.map()
        do {
            let started = try NamedThread("x11 events") { [self] in readEvents() }
            thread.withLock { $0 = started }
        } catch { throw XError("cannot start a thread: \(error.reason)") }
    }

    package var size: PixelSize { surface.size }

    package var gravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { state.withLock { $0.gravity = newValue } }
    }

    package func prepare(_ frame: VideoFrame) {
        let (gravity, overlays) = state.withLock { state in
            (state.gravity, [state.overlay, state.content, state.controls].compactMap(\.self))
        }
        let isDrawn = frame.withPicture { picture in
            surface.prepare(
                picture, format: frame.format, gravity: gravity,
                overlay: overlays.isEmpty
                    ? nil
                    : { pixels, size, stride in
                        for overlay in overlays { Self.lay(overlay, over: pixels, size, stride) }
                    })
        }
        // A window of no size has nothing to draw into, and says nothing.
        guard !isDrawn, !size.isEmpty else { return }
        let isFirst = state.withLock { state in
            defer { state.hasComplained = true }
            return !state.hasComplained && !state.isClosed
        }
        if isFirst {
            let layout = frame.format.layout
            onEvent(
                .trouble(
                    "a picture of \(layout.width)x\(layout.height), \(layout.pixelFormat.name), cannot be drawn in a window of "
                        + "\(size.width)x\(size.height): there is no memory for it, or the format is not known"))
        }
    }

    /// One for another size comes of a window that has just changed: it is drawn anew at once.
    static func lay(_ overlay: OverlayPicture, over pixels: UnsafeMutableRawPointer, _ size: PixelSize, _ stride: Int) {
        if overlay.size == size { OverlayBlender.blend(overlay, into: pixels, size: size, stride: stride) }
    }

    /// Sets a program's own pictures over the film; seen with the next frame that is prepared.
    package func setContentOverlay(_ content: OverlayPicture?) { state.withLock { $0.content = content } }

    package func setControls(_ controls: OverlayPicture?, covering covered: Int) {
        state.withLock { ($0.controls, $0.covered) = (controls, covered) }
    }

    package func setOverlay(_ overlay: OverlayPicture?) { state.withLock { $0.overlay = overlay } }

    package func overlayPlace(for format: FrameFormat) -> OverlayPlace? {
        let (gravity, covered) = state.withLock { ($0.gravity, $0.covered) }
        var place = OverlayPlace(size: surface.size, format: format, gravity: gravity)
        place.covered = covered
        return place
    }

    package func pictureOnScreen(_ format: FrameFormat) -> PixelRect? {
        let seen = state.withLock { $0.isClosed || !$0.sight.isVisible ? nil : $0.origin }
        guard let origin = seen, !size.isEmpty else { return nil }
        let placement = Placement(
            picture: format.orientedSize, displaySize: format.displaySize, place: size, gravity: gravity)
        let rect = placement.destination
        return PixelRect(x: origin.x + rect.x, y: origin.y + rect.y, width: rect.width, height: rect.height)
    }

    package func present() -> Int64? {
        setGround(.colour(0))
        return surface.present()
    }

    package func takeFeedback() -> [PresentFeedback] { surface.takeFeedback() }

    /// Returns when the server has drawn everything so far.
    package func finish() { connection.sync() }

    package func showMessage(_ text: String?) {}

    package func setTitle(_ title: String) {
        window.setTitle(title)
        connection.flush()
    }

    package var isFullScreen: Bool { state.withLock { $0.isFullScreen } }

    /// Fills the screen, or goes back to the place it had.
    package func setFullScreen(_ on: Bool) {
        let change: PixelRect? = state.withLock { state in
            guard state.isFullScreen != on else { return nil }
            state.isFullScreen = on
            state.awaitsFullScreen = hasWindowManager
            if on { state.frameBeforeFullScreen = state.frame }
            return on
                ? PixelRect(x: 0, y: 0, width: connection.screenSize.width, height: connection.screenSize.height)
                : state.frameBeforeFullScreen ?? state.frame
        }
        guard let change else { return }
        if hasWindowManager {
            window.ask(connection.atoms.netWMState, (on ? 1 : 0, connection.atoms.stateFullScreen, 0, 1, 0))
        } else {
            window.setFrame(change)
            if on { window.raise() }
        }
        onEvent(.fullScreenChanged(on))
    }

    /// Takes the window off the screen, and its place in a window manager's list with it; ``activate()`` brings it
    /// back.
    package func hide() { window.withdraw() }

    /// Shows no pointer over the window.
    package func setPointerHidden(_ hidden: Bool) {
        let changes = state.withLock { state in
            defer { state.isPointerHidden = hidden }
            return state.isPointerHidden != hidden && !state.isClosed
        }
        if changes { window.setPointerHidden(hidden) }
    }

    package func keepScreenOn(_ on: Bool) {
        let changes = state.withLock { state in
            guard !state.isClosed else { return false }
            defer { state.keepsScreenOn = on }
            return state.keepsScreenOn != on
        }
        if changes { connection.suspendScreenSaver(on) }
    }

    /// Brings the window before the user: unminimised, on top.
    package func activate() {
        window.map()
        if hasWindowManager {
            window.ask(connection.atoms.activeWindow, (1, 0, 0, 0, 0))
        } else {
            window.raise()
        }
    }

    package func disconnect() { connection.disconnect() }

    package func close() {
        keepScreenOn(false)
        let first = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard first else { return }
        window.unmap()
        window.wake()
        thread.withLock { $0.take() }?.join()
    }
}
