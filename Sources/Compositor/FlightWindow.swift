import CXCB
import SharedFrames
import SystemCalls
import VideoOutput

/// The window that shows the picture while it animates between the program's window and the floating window.
///
/// No window manager moves it (override-redirect), so that its position, its size and its contents change together and
/// each frame is complete on screen. Used by its surface's thread.
final class FlightWindow {
    private let window: XWindow
    private let surface: XSurface
    private var glide: Glide
    private var picture: FlightPicture?
    private(set) var isExposed = false
    private var frame: PixelRect
    /// The X server does not know ``frame`` yet. The new frame is sent together with a picture of its size.
    private var isMoving = false
    /// The window is mapped together with the next picture.
    private var comes = false
    /// The first picture is drawn but not shown yet.
    private var isPrepared = false
    private var lastTick: Int64 = 0
    /// The number of pictures that took longer than ``slow`` to draw: later ones may have been delayed.
    private var slowPictures = 0
    /// Nanoseconds.
    private static let slow: Int64 = 10_000_000

    /// Nanoseconds between two steps while no frame arrives. Each frame advances the window by itself: at 60 frames a
    /// second every frame is drawn only once.
    private static let step: Int64 = 20_000_000

    init(connection: XConnection, glide: Glide) {
        self.glide = glide
        frame = glide.from
        window = XWindow(connection: connection, frame: frame, isUnmanaged: true)
        // Pictures appear at once, together with the window's new size: they do not wait for a refresh.
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
        // Windows below receive the pointer's events while the picture passes over them.
        window.letPointerThrough(true)
        window.set(connection.atoms.windowType, type: XCB_ATOM_ATOM.rawValue, [connection.atoms.typeUtility])
    }

    var id: xcb_window_t { window.id }
    /// Whether a picture can be drawn without waiting for the server.
    var isReady: Bool { surface.isReady }
    /// The current rectangle of the window.
    var place: PixelRect { frame }
    /// The rectangle at which the animation ends.
    var destination: PixelRect { glide.to }

    /// Maps the window together with its first picture.
    func map() { comes = true }

    func raise() { window.raise() }

    /// Unmaps the window together with the next picture of another window. The request is queued, not flushed.
    func leaveWithNext() { window.unmapWithNext() }

    /// Notes that the window is on screen.
    ///
    /// - Returns: False if its picture is lost and must be redrawn.
    func markExposed() -> Bool {
        isExposed = true
        return surface.repaint()
    }

    /// Draws the first picture without showing it. A newer picture may replace it.
    func prepare(_ picture: PictureMemory, format: FrameFormat, overlay: SharedOverlay?) {
        isPrepared = surface.prepare(picture, format: format, gravity: .resizeAspect) { overlay?.draw($0, $1, $2) }
    }

    /// Shows the first picture.
    ///
    /// - Returns: The host time at which it was shown; `nil` if it could not be drawn.
    func putFirst() -> Int64? { put(isPrepared) }

    /// Allocates memory and sets up the scaler in advance: both take milliseconds, and the next picture arrives soon.
    func warmUp(_ picture: PictureMemory, format: FrameFormat) {
        if self.picture == nil { _ = pixels(for: format).take(picture, format: format) }
    }

    /// Draws a picture and shows it.
    ///
    /// - Returns: The host time at which it was shown; `nil` if it could not be drawn.
    func show(_ picture: PictureMemory, format: FrameFormat, overlay: SharedOverlay?, now: Int64) -> Int64? {
        step(now: now)
        guard isExposed else {
            // The first picture should appear soon, and the window has not moved yet.
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

    /// Shows the drawn picture together with the frame that it was drawn for.
    private func put(_ isDrawn: Bool) -> Int64? {
        if comes { window.mapOnTopWithNext() }
        if isMoving { window.setFrame(frame, isFlushed: false) }
        (comes, isMoving) = (false, false)
        return isDrawn ? surface.present() : nil
    }

    /// Returns the size in which frames are converted: the picture's own size, or the largest size of the animation if
    /// that is narrower.
    private static func pictureSize(of format: FrameFormat, in room: PixelSize) -> PixelSize {
        let own = format.displaySize
        return own.width <= room.width ? own : PixelSize(width: max(room.width, 1), height: max(room.height, 1))
    }

    /// Starts the animation at `now`, when the window is on screen.
    func begin(at now: Int64) { glide = Glide(from: glide.from, to: glide.to, began: now, duration: glide.duration) }

    /// Ends the animation with the next step, so that no frame is dropped on a slow machine.
    func hurry() { glide = Glide(from: glide.to, to: glide.to, began: glide.began, duration: 1) }

    func isOver(at now: Int64) -> Bool { glide.isOver(at: now) && frame == glide.to }

    var nextTick: Int64 { lastTick + Self.step }

    /// Updates ``frame`` to the animation's position at `now`. The X server receives it together with the picture.
    private func step(now: Int64) {
        guard isExposed else { return }
        lastTick = now
        let new = glide.frame(at: now)
        guard new != frame else { return }
        (frame, isMoving) = (new, true)
        surface.resize(to: new.size)
    }

    /// Performs the next step of the animation.
    ///
    /// - Returns: True if the picture must be drawn in another size.
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
