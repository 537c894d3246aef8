import CXCB
import SharedFrames
import SystemCalls
import VideoOutput

/// The window that shows the picture while it animates between the program's window and the floating window.
///
/// Window managers ignore this window (override-redirect), so that its position, size and contents change together and
/// each frame is complete on screen. Used only by the drawing thread of its display.
final class AnimationWindow {
    private let window: XWindow
    /// Draws pictures into the window.
    private let surface: XSurface
    /// The animation of the window's rectangle.
    private var animation: WindowAnimation
    /// The last converted frame; `nil` before the first frame was converted.
    private var picture: AnimationPicture?
    /// Whether the window has appeared on screen.
    private(set) var isExposed = false
    /// The current rectangle of the window on the screen.
    private var frame: PixelRect
    /// Whether the X server has not received ``frame`` yet. The server receives it together with the next picture.
    private var movesWithNextPicture = false
    /// Whether the window is mapped together with the next picture.
    private var mapsWithNextPicture = false
    /// Whether the window's first picture is drawn; it may not be shown yet.
    private var isFirstPictureDrawn = false
    /// The host time of the last step of the animation, in nanoseconds.
    private var lastStepTime: Int64 = 0
    /// The number of pictures that took longer than ``slowDrawingTime`` to draw. Such a picture may have delayed the
    /// pictures after it.
    private var slowPictureCount = 0
    /// The drawing time from which a picture counts as slow, in nanoseconds.
    private static let slowDrawingTime: Int64 = 10_000_000

    /// Nanoseconds between two animation steps while no video frame arrives. Each video frame also advances the
    /// animation, so that at 60 frames a second each frame is drawn only once.
    private static let stepInterval: Int64 = 20_000_000

    /// Creates the window at the animation's first rectangle without showing it.
    init(connection: XConnection, animation: WindowAnimation) {
        self.animation = animation
        frame = animation.startFrame
        window = XWindow(connection: connection, frame: frame, isUnmanaged: true)
        // Pictures appear at once, together with the window's new size, without waiting for a refresh of the screen.
        surface = XSurface(
            connection: connection, window: window.id, size: frame.size,
            maximumSize: PixelSize(
                width: max(animation.startFrame.width, animation.endFrame.width),
                height: max(animation.startFrame.height, animation.endFrame.height)),
            mode: .no,
            waitsForServer: false)
        window.setTitle("Picture-in-Picture")
        window.setClass(instance: "swiftplay-pip", name: "swiftplay")
        window.setProtocols()
        window.setInputHint(false)
        // Windows below receive the pointer's events while the picture passes over them.
        window.setInputTransparent(true)
        window.set(connection.atoms.windowType, type: XCB_ATOM_ATOM.rawValue, [connection.atoms.typeUtility])
    }

    var id: xcb_window_t { window.id }
    /// Whether a picture can be drawn without waiting for the X server.
    var isReady: Bool { surface.isReady }
    /// The current rectangle of the window on the screen.
    var currentFrame: PixelRect { frame }
    /// The rectangle at which the animation ends.
    var destination: PixelRect { animation.endFrame }

    /// Maps the window together with its first picture.
    func map() { mapsWithNextPicture = true }

    func raise() { window.raise() }

    /// Requests that this window is unmapped together with the next picture of the window that replaces it.
    func hideWithNextFrame() { window.unmapWithNextPicture() }

    /// Records that the window is on screen.
    ///
    /// - Returns: False if its picture is lost and must be redrawn.
    func markExposed() -> Bool {
        isExposed = true
        return surface.repaint()
    }

    /// Draws the window's first picture without showing it. A newer picture may replace it.
    func drawFirstPicture(_ picture: PictureMemory, format: FrameFormat, overlay: SharedOverlay?) {
        isFirstPictureDrawn = surface.prepare(picture, format: format, gravity: .resizeAspect) {
            overlay?.draw($0, $1, $2)
        }
    }

    /// Shows the window's first picture.
    ///
    /// - Returns: The host time at which it was shown; `nil` if it could not be drawn.
    func presentFirstPicture() -> Int64? { presentDrawnPicture(isFirstPictureDrawn) }

    /// Allocates the memory and sets up the scaler that the second picture needs, because both take milliseconds.
    func prepareConversion(_ picture: PictureMemory, format: FrameFormat) {
        if self.picture == nil { _ = conversionPicture(for: format).convert(picture, format: format) }
    }

    /// Draws a picture and shows it.
    ///
    /// - Returns: The host time at which it was shown; `nil` if it could not be drawn.
    func show(_ picture: PictureMemory, format: FrameFormat, overlay: SharedOverlay?, now: Int64) -> Int64? {
        advanceAnimation(now: now)
        guard isExposed else {
            // Draw the first picture directly, without the animation's intermediate picture, so that it appears soon.
            drawFirstPicture(picture, format: format, overlay: overlay)
            let shownTime = presentFirstPicture()
            prepareConversion(picture, format: format)
            return shownTime
        }
        defer {
            if MonotonicTime.now - now > Self.slowDrawingTime { slowPictureCount += 1 }
            if slowPictureCount > 1 { finishAnimation() }
        }
        let convertedPicture = conversionPicture(for: format)
        guard convertedPicture.convert(picture, format: format) else { return nil }
        return presentDrawnPicture(
            surface.prepare(clears: false) { target, size, stride in
                convertedPicture.draw(into: target, size, stride)
                overlay?.draw(target, size, stride)
            })
    }

    /// Returns the picture into which frames are converted; creates it at the first call, and again for larger frames:
    /// a program sends small ones until the picture begins to return.
    private func conversionPicture(for format: FrameFormat) -> AnimationPicture {
        let size = Self.pictureSize(of: format, in: surface.maximumSize ?? frame.size)
        if let picture, size.width <= picture.size.width { return picture }
        let conversionPicture = AnimationPicture(size: size)
        picture = conversionPicture
        return conversionPicture
    }

    /// Shows the drawn picture, and maps and moves the window together with it. Returns the host time at which the
    /// picture was shown; `nil` if no picture was drawn.
    private func presentDrawnPicture(_ isDrawn: Bool) -> Int64? {
        if mapsWithNextPicture { window.mapOnTopWithNextPicture() }
        if movesWithNextPicture { window.setFrame(frame, isFlushed: false) }
        (mapsWithNextPicture, movesWithNextPicture) = (false, false)
        return isDrawn ? surface.present() : nil
    }

    /// Returns the size in which frames are converted: the picture's own size, or the largest size of the animation if
    /// the picture is wider.
    private static func pictureSize(of format: FrameFormat, in maximumSize: PixelSize) -> PixelSize {
        let displaySize = format.displaySize
        return displaySize.width <= maximumSize.width
            ? displaySize : PixelSize(width: max(maximumSize.width, 1), height: max(maximumSize.height, 1))
    }

    /// Starts the animation at `now`, when the window is on screen.
    func startAnimation(at now: Int64) {
        animation = WindowAnimation(
            from: animation.startFrame, to: animation.endFrame, startTime: now, duration: animation.duration)
    }

    /// Makes the next step the last step of the animation, so that no video frame is dropped on a slow machine.
    func finishAnimation() {
        animation = WindowAnimation(
            from: animation.endFrame, to: animation.endFrame, startTime: animation.startTime, duration: 1)
    }

    /// Returns whether the animation has ended at `now` and the window has its final rectangle.
    func isFinished(at now: Int64) -> Bool { animation.isFinished(at: now) && frame == animation.endFrame }

    /// The host time of the next step of the animation, in nanoseconds.
    var nextTick: Int64 { lastStepTime + Self.stepInterval }

    /// Updates ``frame`` to the animation's rectangle at `now`. The X server receives the rectangle together with the
    /// next picture.
    private func advanceAnimation(now: Int64) {
        guard isExposed else { return }
        lastStepTime = now
        let newFrame = animation.frame(at: now)
        guard newFrame != frame else { return }
        (frame, movesWithNextPicture) = (newFrame, true)
        surface.resize(to: newFrame.size)
    }

    /// Performs the next step of the animation.
    ///
    /// - Returns: True if the picture must be drawn in another size.
    func tick(now: Int64) -> Bool {
        guard isExposed, now >= nextTick else { return false }
        let oldFrame = frame
        advanceAnimation(now: now)
        guard frame.size == oldFrame.size else { return true }
        if movesWithNextPicture { window.setFrame(frame) }
        movesWithNextPicture = false
        return false
    }
}
