import CXCB
import SharedFrames
import VideoOutput

/// The picture on its way between the program's window and the floating one: a window of its own that no window manager moves, so that its
/// place, its size and what is drawn in it change together and each frame is seen whole. The compositor's one thread.
final class FlightWindow {
    private let window: XWindow
    private let surface: XSurface
    private var glide: Glide
    private(set) var isExposed = false
    private var frame: PixelRect
    /// The server has not heard of ``frame`` yet: it does with the picture of its size, drawn before.
    private var isMoving = false
    /// It comes on screen with the next picture.
    private var comes = false
    private var lastTick: Int64 = 0

    /// Between two steps, nanoseconds: a screen's usual refresh.
    private static let step: Int64 = 16_000_000

    init(connection: XConnection, glide: Glide) {
        self.glide = glide
        frame = glide.from
        window = XWindow(connection: connection, frame: frame, isUnmanaged: true)
        // Its pictures are seen at once, together with the window's new size: they do not wait for a refresh.
        surface = XSurface(
            connection: connection, window: window.id, size: frame.size,
            room: PixelSize(width: max(glide.from.width, glide.to.width), height: max(glide.from.height, glide.to.height)), mode: .no)
        window.setTitle("Picture-in-Picture")
        window.setClass(instance: "swiftplay-pip", name: "swiftplay")
        window.setProtocols()
        window.setInputHint(false)
        // What lies below works on while the picture passes over it.
        window.letPointerThrough(true)
        window.set(connection.atoms.windowType, type: XCB_ATOM_ATOM.rawValue, [connection.atoms.typeUtility])
    }

    var id: xcb_window_t { window.id }
    /// Where it is now.
    var place: PixelRect { frame }

    /// With its first picture.
    func map() { comes = true }

    func raise() { window.raise() }

    /// Off the screen with what is put next elsewhere: nothing is sent yet.
    func leaveWithNext() { window.unmapWithNext() }

    /// It is on screen.
    ///
    /// - Returns: false when its picture is not there and has to be drawn.
    func markExposed() -> Bool {
        isExposed = true
        return surface.repaint()
    }

    /// Draws a picture and shows it.
    ///
    /// - Returns: the host time; nil when it could not be drawn.
    func show(_ picture: PictureMemory, format: FrameFormat, overlay: SharedOverlay?) -> Int64? {
        let isDrawn = surface.prepare(picture, format: format, gravity: .resizeAspect) { pixels, size, stride in
            overlay?.draw(pixels, size, stride)
        }
        if comes { window.mapOnTopWithNext() }
        if isMoving { window.setFrame(frame, isFlushed: false) }
        (comes, isMoving) = (false, false)
        return isDrawn ? surface.present() : nil
    }

    /// Its way begins when it is seen.
    func begin(at now: Int64) { glide = Glide(from: glide.from, to: glide.to, began: now, duration: glide.duration) }

    func isOver(at now: Int64) -> Bool { glide.isOver(at: now) && frame == glide.to }

    var nextTick: Int64 { lastTick + Self.step }

    /// Takes the next step.
    ///
    /// - Returns: true when the picture has to be drawn in another size.
    func tick(now: Int64) -> Bool {
        guard isExposed, now >= nextTick else { return false }
        lastTick = now
        guard frame != glide.to else { return false }
        let new = glide.frame(at: now), changes = new.size != frame.size
        frame = new
        guard changes else {
            window.setFrame(new)
            return false
        }
        surface.resize(to: new.size)
        isMoving = true
        return true
    }
}
