import CXCB
import SharedFrames
import SystemCalls
import VideoOutput

/// The picture on its way between the program's window and the floating one: a window of its own that no window manager
/// moves, so that its place, its size and what is drawn in it change together and each frame is seen whole. Used by its
/// surface's thread.
final class FlightWindow {
    private let window: XWindow
    private let surface: XSurface
    private var glide: Glide
    private var picture: FlightPicture?
    private(set) var isExposed = false
    private var frame: PixelRect
    /// The server has not heard of ``frame`` yet: it does with the picture of its size, drawn before.
    private var isMoving = false
    /// It comes on screen with the next picture.
    private var comes = false
    /// The first picture is drawn and not put yet.
    private var isPrepared = false
    private var lastTick: Int64 = 0
    /// Pictures that took so long to draw that the next one may have waited.
    private var slowPictures = 0
    private static let slow: Int64 = 10_000_000

    /// Between two steps, nanoseconds, where no frame comes: at 60 frames a second each takes the window one step
    /// further, and is drawn once.
    private static let step: Int64 = 20_000_000

    init(connection: XConnection, glide: Glide) {
        self.glide = glide
        frame = glide.from
        window = XWindow(connection: connection, frame: frame, isUnmanaged: true)
        // Its pictures are seen at once, together with the window's new size: they do not wait for a refresh.
        surface = XSurface(
            connection: connection, window: window.id, size: frame.size,
            room: PixelSize(
                width: max(glide.from.width, glide.to.width), height: max(glide.from.height, glide.to.height)),
            mode: .no,
            waits: false)
        window.setTitle("Picture-in-Picture")
        window.setClass(instance: "swiftplay-pip", name: "swiftplay")
        window.setProtocols()
        window.setInputHint(false)
        // What lies below works on while the picture passes over it.
        window.letPointerThrough(true)
        window.set(connection.atoms.windowType, type: XCB_ATOM_ATOM.rawValue, [connection.atoms.typeUtility])
    }

    var id: xcb_window_t { window.id }
    /// Whether a picture can be drawn without waiting for the server.
    var isReady: Bool { surface.isReady }
    /// Where it is now.
    var place: PixelRect { frame }
    /// Where it goes.
    var destination: PixelRect { glide.to }

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

    /// Draws the first picture, to be put next, or drawn over by a newer one.
    func prepare(_ picture: PictureMemory, format: FrameFormat, overlay: SharedOverlay?) {
        isPrepared = surface.prepare(picture, format: format, gravity: .resizeAspect) { overlay?.draw($0, $1, $2) }
    }

    /// Shows the first picture.
    ///
    /// - Returns: the host time; nil when it could not be drawn.
    func putFirst() -> Int64? { put(isPrepared) }

    /// The next picture comes in a few milliseconds, and memory and scaler take some to be there.
    func warmUp(_ picture: PictureMemory, format: FrameFormat) {
        if self.picture == nil { _ = pixels(for: format).take(picture, format: format) }
    }

    /// Draws a picture and shows it.
    ///
    /// - Returns: the host time; nil when it could not be drawn.
    func show(_ picture: PictureMemory, format: FrameFormat, overlay: SharedOverlay?, now: Int64) -> Int64? {
        step(now: now)
        guard isExposed else {
            // The first one is to be seen soon, and the window has not moved yet.
            prepare(picture, format: format, overlay: overlay)
            let shown = putFirst()
            warmUp(picture, format: format)
            return shown
        }
        defer {
            if MonotonicTime.now - now > Self.slow { slowPictures += 1 }
            if slowPictures > 1 { hurry() }
        }
        let pixels = pixels(for: format)
        guard pixels.take(picture, format: format) else { return nil }
        return put(
            surface.prepare(clears: false) { target, size, stride in
                pixels.draw(into: target, size, stride)
                overlay?.draw(target, size, stride)
            })
    }

    private func pixels(for format: FrameFormat) -> FlightPicture {
        let pixels = picture ?? FlightPicture(size: Self.pictureSize(of: format, in: surface.room ?? frame.size))
        picture = pixels
        return pixels
    }

    /// Shows what was drawn, with the place that it was drawn for.
    private func put(_ isDrawn: Bool) -> Int64? {
        if comes { window.mapOnTopWithNext() }
        if isMoving { window.setFrame(frame, isFlushed: false) }
        (comes, isMoving) = (false, false)
        return isDrawn ? surface.present() : nil
    }

    /// As large as the picture is on the way at most, and no larger than it is by itself.
    private static func pictureSize(of format: FrameFormat, in room: PixelSize) -> PixelSize {
        let own = format.displaySize
        return own.width <= room.width ? own : PixelSize(width: max(room.width, 1), height: max(room.height, 1))
    }

    /// Its way begins when it is seen.
    func begin(at now: Int64) { glide = Glide(from: glide.from, to: glide.to, began: now, duration: glide.duration) }

    /// The machine has other things to do: it is where it goes with the next step, so that no frame is lost on the way.
    func hurry() { glide = Glide(from: glide.to, to: glide.to, began: glide.began, duration: 1) }

    func isOver(at now: Int64) -> Bool { glide.isOver(at: now) && frame == glide.to }

    var nextTick: Int64 { lastTick + Self.step }

    /// Where it is to be now; the server hears of it with the picture.
    private func step(now: Int64) {
        guard isExposed else { return }
        lastTick = now
        let new = glide.frame(at: now)
        guard new != frame else { return }
        (frame, isMoving) = (new, true)
        surface.resize(to: new.size)
    }

    /// Takes the next step.
    ///
    /// - Returns: true when the picture has to be drawn in another size.
    func tick(now: Int64) -> Bool {
        guard isExposed, now >= nextTick else { return false }
        let old = frame
        step(now: now)
        guard frame.size == old.size else { return true }
        if isMoving { window.setFrame(frame) }
        isMoving = false
        return false
    }
}
