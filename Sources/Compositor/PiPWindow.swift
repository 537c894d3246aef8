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
    /// Made when the window itself is to be seen: asking the server takes time, which a flight has not.
    private lazy var surface = XSurface(connection: connection, window: window.id, size: frame.size, waits: false)
    let connection: XConnection
    /// Where it is, or was told to be.
    var frame: PixelRect
    /// The size in which the picture is meant to be seen: decides the window's shape.
    private(set) var picture: PixelSize
    var isPointerInside = false
    var pointed: ControlsLayout.Button?
    /// The server has not heard of ``frame`` yet.
    private var isMoving = false
    private var comes = false
    var gesture = PointerGesture()
    /// When the picture was pressed last.
    var pickedAt: Int64?
    /// Shared by all windows of the connection.
    let keyboard: XKeyboard
    var isPointedAtVolume = false
    /// What lies below can be seen and clicked.
    var isSeeThrough = false
    var lastLook: Int64 = 0
    var glide: Glide?
    /// What is seen instead of the window while the picture comes from the program's window or goes back to it.
    var flight: PictureFlight?
    let memory: PlacementMemory
    private var monitors: [PixelRect]
    private(set) var isWindowExposed = false
    private var isHidden = false
    /// Off the screen for a time, whatever is drawn.
    private(set) var isSuspended = false
    let isOnAllWorkspaces: Bool
    /// A flight that another takes over from: it goes when that is seen.
    var departed: FlightWindow?
    /// What lies over the picture, below the controls.
    var overlay: SharedOverlay?
    var facts = PlaybackFacts(isPaused: false, position: 0, duration: 0)
    /// Nil: its program has no volume to control.
    var sound: SoundFacts?
    /// The user can neither skip nor seek.
    var isLinear = false
    /// The program waits for media.
    var busy = BusyIndicator()
    /// The position of its ring that is on screen.
    private var drawnStep: Int?

    /// - Parameter keyboard: of the connection; nil: the window reads its own.
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

    /// Where it was last with these monitors, else the lower right corner of the first.
    private static func place(picture: PixelSize, monitors: [PixelRect], memory: PlacementMemory) -> PixelRect {
        guard let saved = memory.place(for: monitors) else {
            return WindowPlacement.initialFrame(picture: picture, area: monitors[0])
        }
        let area = area(of: saved, monitors)
        // With another shape it keeps to its corner.
        return WindowPlacement.inside(
            WindowPlacement.resized(saved, width: saved.width, picture: picture, area: area), area)
    }

    /// The monitor that holds the middle of a window, else the first.
    private static func area(of frame: PixelRect, _ monitors: [PixelRect]) -> PixelRect {
        monitors.first { $0.contains(x: frame.x + frame.width / 2, y: frame.y + frame.height / 2) } ?? monitors[0]
    }

    /// The part of the screen that it lies in.
    var area: PixelRect { Self.area(of: glide?.to ?? frame, monitors) }

    /// Puts it on screen, above others, with the next picture.
    func map() {
        if let flight { return flight.window.map() }
        comes = true
    }

    private func hide() {
        if !isHidden { window.unmap() }
        isHidden = true
    }

    /// The next picture that is drawn brings it back to where it was.
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
        // A window manager forgets what was said of a window that goes.
        introduce()
        (isHidden, comes, isMoving) = (false, true, true)
    }

    /// Whether the next picture can be drawn without waiting for the server, which may still read the last one.
    var isReady: Bool {
        guard let flight else { return surface.isReady }
        return flight.window.isReady && !(flight.isHandingOver && isWindowExposed && !surface.isReady)
    }

    /// What is to be seen is on screen.
    var isExposed: Bool { flight?.window.isExposed ?? isWindowExposed }

    func owns(_ id: xcb_window_t) -> Bool { id == window.id || id == flight?.window.id }

    /// In which the picture is drawn from now on: at the end of a glide that is underway.
    var size: PixelSize { glide?.to.size ?? (flight == nil ? surface.size : frame.size) }
    /// As it is drawn now.
    var drawnSize: PixelSize { surface.size }

    func setFrame(_ new: PixelRect) {
        guard new != frame else { return }
        frame = new
        window.setFrame(new)
    }

    /// Takes on the shape of a picture that has another than the one before.
    private func follow(_ new: PixelSize) {
        let old = picture
        picture = new
        // A hundredth is what rounding makes of a size that changes and a shape that does not.
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
    /// - Returns: the host time; nil when it could not be drawn.
    func show(_ picture: PictureMemory, format: FrameFormat, now: Int64 = MonotonicTime.now) -> Int64? {
        follow(format.displaySize)
        if let flight {
            let shown = flight.window.show(picture, format: format, overlay: overlay, now: now)
            // What it flies away from goes in the same breath.
            if flight.isLanding { hide() }
            departed?.leaveWithNext()
            departed = nil
            // Below it the window is made ready to take over.
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
        // What is drawn below another window is lost: it goes when this is drawn and before it is put.
        departed?.leaveWithNext()
        defer { departed = nil }
        guard isDrawn else { return nil }
        return surface.present()
    }

    // MARK: time

    /// When the window is to be moved on; nil while it stands.
    var nextTick: Int64? {
        if let flight { return flight.nextTick }
        let nextStep = glide == nil && !isSuspended ? busy.nextChange(after: MonotonicTime.now) : nil
        return [glide.map { _ in lastTick + 8_000_000 }, nextLook, nextStep].compactMap { $0 }.min()
    }
    private var lastTick: Int64 = 0

    /// Moves it on its way.
    func tick(now: Int64) -> [Outcome] {
        if flight != nil { return fly(now: now) }
        if let look = nextLook, now >= look { lookThrough(now: now) }
        guard let glide else { return !isSuspended && busy.step(at: now) != drawnStep ? [.needsRedraw] : [] }
        guard now >= lastTick + 8_000_000 else { return [] }
        lastTick = now
        let place = glide.frame(at: now), isOver = glide.isOver(at: now), changes = place.size != surface.size
        if isOver { self.glide = nil }
        if changes {
            // The server hears of it together with the picture in that size, which is drawn first: the one of the size
            // before would be cut.
            (frame, isMoving) = (place, true)
            surface.resize(to: place.size)
        } else {
            setFrame(place)
        }
        return (changes ? [.needsRedraw] : []) + (isOver ? [.resized(place.size)] : [])
    }

    /// The program waits for media, or does no longer.
    ///
    /// - Returns: whether the window has to be drawn anew now.
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool {
        busy.setWaiting(isBuffering, at: now)
        return drawnStep != nil && !isBuffering
    }

    /// The window goes to `place` by itself.
    func fly(to place: PixelRect) {
        guard place != frame else { return }
        glide = Glide(from: frame, to: place, began: MonotonicTime.now)
        lastTick = 0
    }

    /// A hand took hold of it on its way: it stays as it is.
    func stopGlide() -> [Outcome] { glide.take() == nil ? [] : [.resized(surface.size)] }

    /// It stays where it is (going to be).
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
        // What the event tells may be a size that the window has had on its way: the one that it has now counts.
        let size =
            isGliding
            ? surface.size : window.currentSize ?? PixelSize(width: Int(event.width), height: Int(event.height))
        // While it is moved by us, what comes is about places that it has left again. A managed window's place arrives
        // in its own event, relative to the root; one from its parent's frame does not count.
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

    /// Monitors came, went or changed.
    func monitorsChanged() {
        let new = connection.monitors
        guard new != monitors else { return }
        monitors = new
        gesture.cancel()
        fly(to: Self.place(picture: picture, monitors: new, memory: memory))
    }
}
