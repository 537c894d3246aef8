import CXCB
import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// An X11 window that floats above others, and shows a program's frames and controls. Used by its display's thread.
final class PiPWindow {
    typealias Event = SurfaceEvent
    typealias OpenRequest = SurfaceOpenRequest

    let window: XWindow
    /// Draws into the window. Created when the window appears: its creation would delay the opening animation.
    private lazy var surface = XSurface(
        connection: connection, window: window.id, size: frame.size, waitsForServer: false)
    let connection: XConnection
    /// The window's rectangle on its screen, as the X server reported it or as requested last.
    var frame: PixelRect
    /// The display size of the picture, which determines the window's aspect ratio.
    private(set) var pictureSize: PixelSize
    var isPointerInside = false
    var hoveredButton: ControlsLayout.Button?
    /// Whether ``frame`` is sent to the X server together with the next picture.
    private var movesWithNextPicture = false
    /// Whether the window is mapped together with the next picture.
    private var mapsWithNextPicture = false
    var gesture = PointerGesture()
    /// The host time of the last press of the primary button if it hit the picture itself; `nil` otherwise.
    var picturePressedAt: Int64?
    /// The keyboard, shared by all windows of the connection.
    let keyboard: XKeyboard
    var isPointerOverVolume = false
    /// Whether the window is translucent and passes clicks to the windows below.
    var isTransparent = false
    /// The host time of the last query of the pointer and the Control key.
    var lastPointerQuery: Int64 = 0
    var animation: WindowAnimation?
    /// The picture's animation between the program's window and this window; `nil` while none runs.
    var pictureAnimation: PictureAnimation?
    let placementMemory: PlacementMemory
    private var monitors: [PixelRect]
    private(set) var isWindowExposed = false
    private var isHidden = false
    /// Whether a video call hides the window; drawn pictures do not show it again.
    private(set) var isSuspended = false
    let isOnAllWorkspaces: Bool
    /// A finished animation's window; it is unmapped with the next picture of the window that replaces it.
    var finishedAnimationWindow: AnimationWindow?
    /// The program's overlay, such as subtitles, between the picture and the controls.
    var overlay: SharedOverlay?
    var playback = PlaybackState(isPaused: false, position: 0, duration: 0)
    /// The position up to which the item is loaded, in nanoseconds; 0 to show no loaded part.
    var loadedUntil: Int64 = 0
    /// The volume state; `nil` if the program has no volume control.
    var audio: AudioState?
    /// Whether skipping and seeking are disabled.
    var requiresLinearPlayback = false
    /// The buffering indicator, which is shown while the program waits for media.
    var busyIndicator = BusyIndicator()
    /// The step of the buffering indicator in the last picture; `nil` if that picture has no indicator.
    private var drawnIndicatorStep: Int?

    /// Creates the window without showing it. `keyboard` is the connection's keyboard; `nil` creates one.
    init(
        connection: XConnection, picture: PixelSize, opening: OpenRequest = OpenRequest(), keyboard: XKeyboard? = nil,
        memory: PlacementMemory = PlacementMemory()
    ) {
        (self.connection, pictureSize, placementMemory) = (connection, picture, memory)
        self.keyboard = keyboard ?? XKeyboard(connection: connection)
        monitors = connection.monitors
        let preferred = Self.initialFrame(picture: picture, monitors: monitors, memory: memory)
        let area = Self.monitorFrame(of: preferred, monitors)
        frame = WindowPlacement.avoiding(opening.otherWindows, preferred, area: area)
        window = XWindow(connection: connection, frame: frame)
        isOnAllWorkspaces = opening.isOnAllWorkspaces
        setWindowProperties()
        connection.watchMonitors()
        if let origin = opening.origin, canAnimate(between: origin, and: frame) {
            let steps = WindowAnimation(from: origin, to: frame, startTime: 0)
            let separate = AnimationWindow(connection: connection, animation: steps)
            pictureAnimation = PictureAnimation(separate, isReturning: false)
        }
    }

    /// Returns the saved window rectangle for these monitors, or else a rectangle at the lower right of the first.
    private static func initialFrame(picture: PixelSize, monitors: [PixelRect], memory: PlacementMemory) -> PixelRect {
        guard let saved = memory.savedFrame(for: monitors) else {
            return WindowPlacement.initialFrame(picture: picture, area: monitors[0])
        }
        let area = monitorFrame(of: saved, monitors)
        // If the picture's aspect ratio differs, the rectangle keeps the corner that is nearest to the area's corner.
        return WindowPlacement.movedInside(
            WindowPlacement.resized(saved, width: saved.width, picture: picture, area: area), area)
    }

    /// Returns the monitor that contains the middle of a window, or else the first monitor.
    private static func monitorFrame(of frame: PixelRect, _ monitors: [PixelRect]) -> PixelRect {
        monitors.first { $0.contains(x: frame.x + frame.width / 2, y: frame.y + frame.height / 2) } ?? monitors[0]
    }

    /// The rectangle of the monitor that contains the window, or the end of its animation.
    var monitorFrame: PixelRect { Self.monitorFrame(of: animation?.to ?? frame, monitors) }

    /// Shows the window above others together with the next picture.
    func map() {
        if let pictureAnimation { return pictureAnimation.window.map() }
        mapsWithNextPicture = true
    }

    private func hide() {
        if !isHidden { window.unmap() }
        isHidden = true
    }

    /// Hides the window for a video call, or shows it again at its old place together with the next picture.
    func setSuspended(_ on: Bool) {
        guard on != isSuspended, !isReturning else { return }
        isSuspended = on
        if on {
            (pictureAnimation, finishedAnimationWindow) = (nil, nil)
            if let animation = animation.take() { setFrame(animation.to) }
            gesture.cancel()
            isPointerInside = false
            return hide()
        }
        // Window managers discard the properties of an unmapped window.
        setWindowProperties()
        (isHidden, mapsWithNextPicture, movesWithNextPicture) = (false, true, true)
    }

    /// Whether the next picture can be drawn without waiting for the X server, which may still read the last picture.
    var isReady: Bool {
        guard let moving = pictureAnimation else { return surface.isReady }
        return moving.window.isReady && (surface.isReady || !moving.awaitsFloatingWindow || !isWindowExposed)
    }

    /// The size of the picture after the running animation, in pixels.
    var size: PixelSize { animation?.to.size ?? (pictureAnimation == nil ? surface.size : frame.size) }
    /// The current size of the picture, in pixels.
    var drawnSize: PixelSize { surface.size }

    func setFrame(_ new: PixelRect) {
        guard new != frame else { return }
        frame = new
        window.setFrame(new)
    }

    /// Adapts the window to the display size of a new picture if the aspect ratio changed.
    private func adaptAspectRatio(to new: PixelSize) {
        let old = pictureSize
        pictureSize = new
        // Rounding can change the aspect ratio by up to 1 % when only the size changes.
        let (now, before) = (new.width * old.height, old.width * new.height)
        guard !new.isEmpty, abs(now - before) > before / 100 else { return }
        let shaped = WindowPlacement.resized(
            animation?.to ?? frame, width: (animation?.to ?? frame).width, picture: new, area: monitorFrame)
        animation = nil
        setFrame(shaped)
        setHints()
    }

    /// Draws a picture with the controls over it and shows it. Returns the host time at which the picture was shown;
    /// `nil` if the picture could not be drawn.
    func show(_ picture: PictureMemory, format: FrameFormat, now: Int64 = MonotonicTime.now) -> Int64? {
        adaptAspectRatio(to: format.displaySize)
        if let pictureAnimation {
            let shown = pictureAnimation.window.show(picture, format: format, overlay: overlay, now: now)
            // The floating window disappears when the return animation begins.
            if pictureAnimation.isReturning { hide() }
            finishedAnimationWindow?.hideWithNextFrame()
            finishedAnimationWindow = nil
            // Also draw the floating window, because it will replace the animation's window above it.
            guard pictureAnimation.awaitsFloatingWindow, isWindowExposed else { return shown }
            defer { self.pictureAnimation?.floatingWindowDidDraw() }
            return drawFloatingWindow(picture, format: format) ?? shown
        }
        return drawFloatingWindow(picture, format: format)
    }

    /// Draws and shows a picture in the floating window. Returns the host time of showing; `nil` if it was not drawn.
    private func drawFloatingWindow(_ picture: PictureMemory, format: FrameFormat) -> Int64? {
        let showsButtons = isPointerInside && animation == nil, layout = layout
        drawnIndicatorStep = animation == nil ? busyIndicator.step(at: MonotonicTime.now) : nil
        let painter = ControlsPainter(
            layout: layout, playback: playback, audio: audio, hoveredButton: hoveredButton, showsButtons: showsButtons,
            bufferingIndicatorStep: drawnIndicatorStep, loadedUntil: loadedUntil)
        let isDrawn = surface.prepare(picture, format: format, gravity: .resizeAspect) {
            [overlay] pixels, size, stride in
            overlay?.draw(pixels, size, stride, above: showsButtons ? layout.hitArea(of: .progress).y : nil)
            painter.draw(pixels, size, stride)
        }
        if mapsWithNextPicture { window.mapOnTopWithNextPicture() }
        if movesWithNextPicture { window.setFrame(frame, isFlushed: false) }
        (mapsWithNextPicture, movesWithNextPicture) = (false, false)
        // The X server discards drawing in a covered window. So the animation's window is unmapped after this picture
        // is drawn and before it is shown.
        finishedAnimationWindow?.hideWithNextFrame()
        defer { finishedAnimationWindow = nil }
        guard isDrawn else { return nil }
        return surface.present()
    }

    // MARK: Time

    /// The host time of the next animation step or the next query of the pointer; `nil` if neither is needed.
    var nextTick: Int64? {
        if let pictureAnimation { return pictureAnimation.nextTick }
        let nextStep = animation == nil && !isSuspended ? busyIndicator.nextChange(after: MonotonicTime.now) : nil
        return [animation.map { _ in lastTick + Self.stepInterval }, nextPointerQuery, nextStep].compactMap { $0 }.min()
    }
    private var lastTick: Int64 = 0
    /// Nanoseconds between two steps of an animation.
    private static let stepInterval: Int64 = 8_000_000

    /// Advances animations to `now`.
    func tick(now: Int64) -> [Event] {
        if pictureAnimation != nil { return advancePictureAnimation(now: now) }
        if let due = nextPointerQuery, now >= due { updateSeeThroughMode(now: now) }
        guard let animation else {
            return !isSuspended && busyIndicator.step(at: now) != drawnIndicatorStep ? [.needsRedraw] : []
        }
        guard now >= lastTick + Self.stepInterval else { return [] }
        lastTick = now
        let rect = animation.frame(at: now), isOver = animation.isFinished(at: now),
            changes = rect.size != surface.size
        if isOver { self.animation = nil }
        if changes {
            // The new frame is sent together with a picture of its size, which is drawn first: a picture of the old
            // size would be cut off.
            (frame, movesWithNextPicture) = (rect, true)
            surface.resize(to: rect.size)
        } else {
            setFrame(rect)
        }
        return (changes ? [.needsRedraw] : []) + (isOver ? [.resized(rect.size)] : [])
    }

    /// Sets whether the program waits for media. Returns whether the window must be redrawn now.
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool {
        busyIndicator.setWaiting(isBuffering, at: now)
        return drawnIndicatorStep != nil && !isBuffering
    }

    /// Animates the window to `rect`.
    func animate(to rect: PixelRect) {
        guard rect != frame else { return }
        animation = WindowAnimation(from: frame, to: rect, startTime: MonotonicTime.now)
        lastTick = 0
    }

    /// Stops the running animation at its current rectangle, because the user has pressed the window.
    func stopAnimation() -> [Event] { animation.take() == nil ? [] : [.resized(surface.size)] }

    /// Saves the window's rectangle, or the last rectangle of its animation, for the current monitors.
    func savePlacement() {
        setHints()
        placementMemory.save(animation?.to ?? frame, for: monitors)
    }

    // MARK: Events

    /// Handles an expose event: the window is on screen.
    func markExposed() -> [Event] {
        let isPainted = surface.repaint(), first = !isWindowExposed && pictureAnimation == nil
        isWindowExposed = true
        pictureAnimation?.window.raise()
        return (isPainted ? [] : [.needsRedraw]) + (first ? [.exposed] : [])
    }

    /// Handles a change of the window's position or size.
    func configure(_ event: xcb_configure_notify_event_t) -> [Event] {
        let isAnimating = animation != nil, isMoving = isAnimating || gesture.isActive
        // The event may carry an intermediate size of an animation. Use the window's current size instead.
        let size =
            isAnimating
            ? surface.size : window.currentSize ?? PixelSize(width: Int(event.width), height: Int(event.height))
        // While the compositor moves the window, events carry outdated positions. ICCCM 4.1.5: a window manager sends a
        // synthetic event (bit 0x80) with the position relative to the root. Real events of a managed window are
        // relative to its frame and do not count.
        if !isMoving {
            if event.response_type & 0x80 != 0 || !connection.hasWindowManager {
                (frame.x, frame.y) = (Int(event.x), Int(event.y))
            }
            (frame.width, frame.height) = (size.width, size.height)
        }
        guard !isAnimating, size != surface.size else { return [] }
        surface.resize(to: size)
        return [.resized(size), .needsRedraw]
    }

    /// Moves the window to its place on the current monitors after they changed.
    func monitorsChanged() {
        let new = connection.monitors
        guard new != monitors else { return }
        monitors = new
        gesture.cancel()
        animate(to: Self.initialFrame(picture: pictureSize, monitors: new, memory: placementMemory))
    }
}
