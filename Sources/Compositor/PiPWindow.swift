import CXCB
import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// A floating window: shows frames, and its controls while the pointer is over it. Used by its display's thread.
final class PiPWindow {
    typealias Outcome = FloatingOutcome
    typealias Opening = FloatingOpening

    let window: XWindow
    /// Created when the window itself appears: its requests to the X server take too long for an opening animation.
    private lazy var surface = XSurface(connection: connection, window: window.id, size: frame.size, waits: false)
    let connection: XConnection
    /// The rectangle of the window on its screen, as reported by the X server or requested last.
    var frame: PixelRect
    /// The display size of the picture, which determines the window's aspect ratio.
    private(set) var picture: PixelSize
    var isPointerInside = false
    var pointed: ControlsLayout.Button?
    /// ``frame`` is sent to the X server together with the next picture.
    private var isMoving = false
    /// The window is mapped together with the next picture.
    private var comes = false
    var gesture = PointerGesture()
    /// The host time at which the picture was pressed last.
    var pickedAt: Int64?
    /// Shared by all windows of the connection.
    let keyboard: XKeyboard
    var isPointedAtVolume = false
    /// The window is translucent and passes clicks to the windows below.
    var isSeeThrough = false
    var lastLook: Int64 = 0
    var glide: Glide?
    /// The animation between the program's window and this window; `nil` while none runs.
    var flight: PictureFlight?
    let memory: PlacementMemory
    private var monitors: [PixelRect]
    private(set) var isWindowExposed = false
    private var isHidden = false
    /// The window is hidden for a time, even if pictures are drawn.
    private(set) var isSuspended = false
    let isOnAllWorkspaces: Bool
    /// The window of a finished animation, which is unmapped together with the next picture of its successor.
    var departed: FlightWindow?
    /// The overlay between the picture and the controls.
    var overlay: SharedOverlay?
    var facts = PlaybackFacts(isPaused: false, position: 0, duration: 0)
    /// The volume state; `nil` if the program has no volume control.
    var sound: SoundFacts?
    /// Skipping and seeking are disabled.
    var isLinear = false
    /// The indicator that the program waits for media.
    var busy = BusyIndicator()
    /// The animation step of ``busy`` that is on screen.
    private var drawnStep: Int?

    /// Creates the window without showing it.
    ///
    /// - Parameter keyboard: The keyboard of the connection; `nil` to create one for this window.
    init(
        connection: XConnection, picture: PixelSize, opening: Opening = Opening(), keyboard: XKeyboard? = nil,
        memory: PlacementMemory = PlacementMemory()
    ) {
        self.connection = connection
        self.keyboard = keyboard ?? XKeyboard(connection: connection)
        self.memory = memory
        self.picture = picture
        monitors = connection.monitors
        let usual = Self.place(picture: picture, monitors: monitors, memory: memory)
        frame = WindowPlacement.beside(opening.neighbours, usual, area: Self.area(of: usual, monitors))
        window = XWindow(connection: connection, frame: frame)
        isOnAllWorkspaces = opening.isOnAllWorkspaces
        introduce()
        connection.watchMonitors()
        if let origin = opening.origin, canFly(between: origin, and: frame) {
            flight = PictureFlight(
                FlightWindow(connection: connection, glide: Glide(from: origin, to: frame, began: 0)), isLanding: false)
        }
    }

    /// Returns the last rectangle with these monitors, or else the lower right corner of the first monitor.
    private static func place(picture: PixelSize, monitors: [PixelRect], memory: PlacementMemory) -> PixelRect {
        guard let saved = memory.place(for: monitors) else {
            return WindowPlacement.initialFrame(picture: picture, area: monitors[0])
        }
        let area = area(of: saved, monitors)
        // With another aspect ratio the window keeps the corner that is nearest to the area's.
        return WindowPlacement.inside(
            WindowPlacement.resized(saved, width: saved.width, picture: picture, area: area), area)
    }

    /// Returns the monitor that contains the middle of a window, or else the first monitor.
    private static func area(of frame: PixelRect, _ monitors: [PixelRect]) -> PixelRect {
        monitors.first { $0.contains(x: frame.x + frame.width / 2, y: frame.y + frame.height / 2) } ?? monitors[0]
    }

    /// The monitor that the window is on.
    var area: PixelRect { Self.area(of: glide?.to ?? frame, monitors) }

    /// Shows the window above others together with the next picture.
    func map() {
        if let flight { return flight.window.map() }
        comes = true
    }

    private func hide() {
        if !isHidden { window.unmap() }
        isHidden = true
    }

    /// Hides the window for a time, or shows it again at its old place together with the next picture.
    func setSuspended(_ on: Bool) {
        guard on != isSuspended, !isLanding else { return }
        isSuspended = on
        if on {
            (flight, departed) = (nil, nil)
            if let glide = glide.take() { setFrame(glide.to) }
            gesture.cancel()
            isPointerInside = false
            return hide()
        }
        // Window managers discard the properties of a withdrawn window.
        introduce()
        (isHidden, comes, isMoving) = (false, true, true)
    }

    /// Whether the next picture can be drawn without waiting for the X server, which may still read the last picture.
    var isReady: Bool {
        guard let flight else { return surface.isReady }
        return flight.window.isReady && !(flight.isHandingOver && isWindowExposed && !surface.isReady)
    }

    /// Whether the window, or the window of its animation, is on screen.
    var isExposed: Bool { flight?.window.isExposed ?? isWindowExposed }

    func owns(_ id: xcb_window_t) -> Bool { id == window.id || id == flight?.window.id }

    /// The size of the picture after the running animation, in pixels.
    var size: PixelSize { glide?.to.size ?? (flight == nil ? surface.size : frame.size) }
    /// The current size of the picture, in pixels.
    var drawnSize: PixelSize { surface.size }

    func setFrame(_ new: PixelRect) {
        guard new != frame else { return }
        frame = new
        window.setFrame(new)
    }

    /// Adapts the window to the display size of a new picture if the aspect ratio changed.
    private func follow(_ new: PixelSize) {
        let old = picture
        picture = new
        // Rounding can change the aspect ratio by up to 1 % when only the size changes.
        let (now, before) = (new.width * old.height, old.width * new.height)
        guard !new.isEmpty, abs(now - before) > before / 100 else { return }
        let shaped = WindowPlacement.resized(
            glide?.to ?? frame, width: (glide?.to ?? frame).width, picture: new, area: area)
        glide = nil
        setFrame(shaped)
        setHints()
    }

    /// Draws a picture with the controls over it and shows it.
    ///
    /// - Returns: The host time at which the picture was shown; `nil` if it could not be drawn.
    func show(_ picture: PictureMemory, format: FrameFormat, now: Int64 = MonotonicTime.now) -> Int64? {
        follow(format.displaySize)
        if let flight {
            let shown = flight.window.show(picture, format: format, overlay: overlay, now: now)
            // The floating window disappears when the return animation begins.
            if flight.isLanding { hide() }
            departed?.leaveWithNext()
            departed = nil
            // The window below the animation is drawn, too, so that it can replace the animation.
            guard flight.isHandingOver, isWindowExposed else { return shown }
            defer { self.flight?.windowIsReady() }
            return draw(picture, format: format) ?? shown
        }
        return draw(picture, format: format)
    }

    private func draw(_ picture: PictureMemory, format: FrameFormat) -> Int64? {
        let showsButtons = isPointerInside && glide == nil, layout = layout
        drawnStep = glide == nil ? busy.step(at: MonotonicTime.now) : nil
        let painter = ControlsPainter(
            layout: layout, facts: facts, sound: sound, pointed: pointed, showsButtons: showsButtons,
            busyStep: drawnStep)
        let isDrawn = surface.prepare(picture, format: format, gravity: .resizeAspect) {
            [overlay] pixels, size, stride in
            overlay?.draw(pixels, size, stride, above: showsButtons ? layout.grip(of: .progress).y : nil)
            painter.draw(pixels, size, stride)
        }
        if comes { window.mapOnTopWithNext() }
        if isMoving { window.setFrame(frame, isFlushed: false) }
        (comes, isMoving) = (false, false)
        // The X server discards drawing in a covered window. So the old window is unmapped after this picture is drawn
        // and before it is shown.
        departed?.leaveWithNext()
        defer { departed = nil }
        guard isDrawn else { return nil }
        return surface.present()
    }

    // MARK: time

    /// The host time of the next step of an animation or a check of the pointer; `nil` if neither is needed.
    var nextTick: Int64? {
        if let flight { return flight.nextTick }
        let nextStep = glide == nil && !isSuspended ? busy.nextChange(after: MonotonicTime.now) : nil
        return [glide.map { _ in lastTick + 8_000_000 }, nextLook, nextStep].compactMap { $0 }.min()
    }
    private var lastTick: Int64 = 0

    /// Advances animations to `now`.
    func tick(now: Int64) -> [Outcome] {
        if flight != nil { return fly(now: now) }
        if let look = nextLook, now >= look { lookThrough(now: now) }
        guard let glide else { return !isSuspended && busy.step(at: now) != drawnStep ? [.needsRedraw] : [] }
        guard now >= lastTick + 8_000_000 else { return [] }
        lastTick = now
        let place = glide.frame(at: now), isOver = glide.isOver(at: now), changes = place.size != surface.size
        if isOver { self.glide = nil }
        if changes {
            // The new frame is sent together with a picture of its size, which is drawn first: a picture of the old
            // size would be cut off.
            (frame, isMoving) = (place, true)
            surface.resize(to: place.size)
        } else {
            setFrame(place)
        }
        return (changes ? [.needsRedraw] : []) + (isOver ? [.resized(place.size)] : [])
    }

    /// Sets whether the program waits for media.
    ///
    /// - Returns: Whether the window must be redrawn now.
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool {
        busy.setWaiting(isBuffering, at: now)
        return drawnStep != nil && !isBuffering
    }

    /// Animates the window to `place`.
    func fly(to place: PixelRect) {
        guard place != frame else { return }
        glide = Glide(from: frame, to: place, began: MonotonicTime.now)
        lastTick = 0
    }

    /// Stops the running animation at its current rectangle, because the user took hold of the window.
    func stopGlide() -> [Outcome] { glide.take() == nil ? [] : [.resized(surface.size)] }

    /// Saves the window's rectangle, or the end of its running animation, as its place on these monitors.
    func settle() {
        setHints()
        memory.remember(glide?.to ?? frame, for: monitors)
    }

    // MARK: events

    func markExposed() -> [Outcome] {
        let isPainted = surface.repaint(), first = !isWindowExposed && flight == nil
        isWindowExposed = true
        flight?.window.raise()
        return (isPainted ? [] : [.needsRedraw]) + (first ? [.exposed] : [])
    }

    func configure(_ event: xcb_configure_notify_event_t) -> [Outcome] {
        let isGliding = glide != nil, isMoving = isGliding || gesture.isActive
        // The event may carry an intermediate size of an animation. Use the window's current size instead.
        let size =
            isGliding
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
        guard !isGliding, size != surface.size else { return [] }
        surface.resize(to: size)
        return [.resized(size), .needsRedraw]
    }

    /// Moves the window to its place on the current monitors after they changed.
    func monitorsChanged() {
        let new = connection.monitors
        guard new != monitors else { return }
        monitors = new
        gesture.cancel()
        fly(to: Self.place(picture: picture, monitors: new, memory: memory))
    }
}
