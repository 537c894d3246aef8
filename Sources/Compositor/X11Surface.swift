import SharedFrames
import SystemCalls
import VideoOutput

/// A surface in a window on an X display.
final class X11Surface: FloatingSurface {
    let connection: XConnection
    private let keyboard: XKeyboard
    private(set) var window: PiPWindow?
    private var isBuffering = false
    let drawsControls = true, showsLateFrames = true

    /// - Parameter keyboard: The keyboard of the connection; `nil` to create one for this surface.
    init(_ connection: XConnection, keyboard: XKeyboard? = nil) {
        self.connection = connection
        self.keyboard = keyboard ?? XKeyboard(connection: connection)
    }

    var content = FloatingContent() { didSet { applyContent() } }

    private func applyContent() {
        guard let window else { return }
        (window.facts, window.sound, window.isLinear) = (content.playback, content.sound, content.isLinear)
        window.overlay = content.overlay
    }

    var isOpen: Bool { window != nil }
    var isReady: Bool { window?.isReady ?? true }
    var isExposed: Bool { window?.isExposed == true }
    var isLanding: Bool { window?.isLanding == true }
    var isLayerInView: Bool { window?.isLayerInView == true }
    var frame: PixelRect? { window?.frame }
    var nextTick: Int64? { window?.nextTick }

    func open(_ picture: PixelSize, _ opening: FloatingOpening) -> PixelSize? {
        guard window == nil else { return nil }
        let made = PiPWindow(connection: connection, picture: picture, opening: opening, keyboard: keyboard)
        window = made
        applyContent()
        _ = made.setBuffering(isBuffering, now: MonotonicTime.now)
        // The window appears together with its first picture, never empty.
        made.map()
        return made.size
    }

    func showFirst(_ picture: PictureMemory, format: FrameFormat, isOutdated: () -> Bool) -> FirstFrameResult {
        guard let flight = window?.flight?.window else { return .unnecessary }
        flight.prepare(picture, format: format, overlay: content.overlay)
        guard !isOutdated() else { return .outdated }
        // The program writes each frame into the ring before it draws the frame. While the X server is grabbed, the
        // program cannot draw: a frame that is not in the ring is not on screen.
        let shown = connection.withServerGrabbed { isOutdated() ? nil : flight.putFirst() }
        guard let shown else { return .outdated }
        // This runs while the X server shows the picture.
        flight.warmUp(picture, format: format)
        return .shown(shown)
    }

    func show(_ picture: PictureMemory, format: FrameFormat, frame: UInt64) -> Int64? {
        window?.show(picture, format: format)
    }

    func noteFrame(at now: Int64) { window?.busy.noteFrame(at: now) }

    func confirm() -> Bool { connection.sync() }

    func hurry() { if window?.isExposed == true { window?.flight?.window.hurry() } }

    func land(on place: PixelRect) -> [FloatingOutcome]? {
        guard let window, !window.isLanding else { return nil }
        return window.land(on: place)
    }

    func setSuspended(_ isSuspended: Bool) { window?.setSuspended(isSuspended) }

    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool {
        self.isBuffering = isBuffering
        return window?.setBuffering(isBuffering, now: now) == true
    }

    func tick(now: Int64) -> [FloatingOutcome] { window?.tick(now: now) ?? [] }

    func close() { window = nil }
}
