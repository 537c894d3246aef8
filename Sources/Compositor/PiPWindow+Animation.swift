import CXCB
import SharedFrames
import SystemCalls
import VideoOutput

/// The animation of the picture, in a separate window, between the program's window and the floating window.
struct PictureAnimation {
    /// The separate window that shows the picture and moves.
    let window: AnimationWindow
    /// Whether the picture moves back to the program's window.
    let isReturning: Bool
    /// Whether the animation has reached its last rectangle and its window is about to be replaced: the floating window
    /// is being mapped below the animation's window.
    var awaitsFloatingWindow = false
    /// The host time at which the animation ends at the latest.
    var latestEndTime: Int64

    /// The time, in nanoseconds, within which the animation's window must appear. A window may never appear, for
    /// example while the screen is locked.
    static let timeout: Int64 = 500_000_000
    /// The time, in nanoseconds, for which the animation's window stays above the drawn floating window. A compositing
    /// manager needs this time to show the floating window.
    static let floatingWindowDelay: Int64 = 50_000_000

    /// Records that the floating window below the animation's window has drawn its picture.
    mutating func floatingWindowDidDraw() {
        if awaitsFloatingWindow { latestEndTime = min(latestEndTime, MonotonicTime.now + Self.floatingWindowDelay) }
    }

    /// Creates the state of an animation that starts now and ends at the latest after its timeout.
    init(_ window: AnimationWindow, isReturning: Bool) {
        self.window = window
        self.isReturning = isReturning
        latestEndTime = MonotonicTime.now + Self.timeout + WindowAnimation.defaultDuration
    }

    /// The host time at which the animation must be advanced.
    var nextTick: Int64 {
        min(window.isExposed && !awaitsFloatingWindow ? window.nextTick : latestEndTime, latestEndTime)
    }
}

extension PiPWindow {
    /// Returns whether an animation between two rectangles is allowed: neither is larger than the screen.
    ///
    /// An animation allocates memory for the larger rectangle, and the program chooses one of the two rectangles.
    func canAnimate(between firstRect: PixelRect, and secondRect: PixelRect) -> Bool {
        [firstRect, secondRect].allSatisfy {
            $0.width <= connection.screenSize.width && $0.height <= connection.screenSize.height
        }
    }

    /// Starts the return animation from the current rectangle to the picture's rectangle in the program's window.
    func beginReturnAnimation(to rect: PixelRect) -> [Event] {
        let startRect = pictureAnimation?.window.currentFrame ?? frame
        guard !isSuspended, canAnimate(between: rect, and: startRect) else { return [.returnAnimationFinished] }
        frameAnimation = nil
        gesture.cancel()
        let animationWindow = AnimationWindow(
            connection: connection, animation: WindowAnimation(from: startRect, to: rect, startTime: 0))
        finishedAnimationWindow = pictureAnimation?.window
        pictureAnimation = PictureAnimation(animationWindow, isReturning: true)
        animationWindow.map()
        return [.needsRedraw]
    }

    /// Whether the return animation runs and covers less than an eighth of the program's layer, so that the layer is
    /// visible.
    var isProgramLayerVisible: Bool {
        guard let pictureAnimation, pictureAnimation.isReturning else { return false }
        let rect = pictureAnimation.window.destination
        return pictureAnimation.window.currentFrame.sharedArea(with: rect) < rect.width * rect.height / 8
    }

    /// Whether the window, or the window of its animation, is on screen.
    var isExposed: Bool { pictureAnimation?.window.isExposed ?? isWindowExposed }

    /// Returns whether an X window is the floating window or the window of its animation.
    func owns(_ id: xcb_window_t) -> Bool { id == window.id || id == pictureAnimation?.window.id }

    /// Whether the picture moves back to the program's window.
    var isReturning: Bool { pictureAnimation?.isReturning == true }

    /// Handles an expose event of the animation's window. The first expose event starts the animation.
    func handleAnimationWindowExposure() -> [Event] {
        guard let pictureAnimation else { return [] }
        let isFirstExpose = !pictureAnimation.window.isExposed, isPainted = pictureAnimation.window.markExposed()
        if isFirstExpose { pictureAnimation.window.startAnimation(at: MonotonicTime.now) }
        return (isPainted ? [] : [.needsRedraw]) + (isFirstExpose && !pictureAnimation.isReturning ? [.exposed] : [])
    }

    /// Advances the picture's animation to the host time `now`. Ends the animation when its last rectangle is reached.
    func advancePictureAnimation(now: Int64) -> [Event] {
        guard var pictureAnimation else { return [] }
        if now >= pictureAnimation.latestEndTime {
            if pictureAnimation.isReturning { return [.returnAnimationFinished] }
            if pictureAnimation.awaitsFloatingWindow {
                finishedAnimationWindow = pictureAnimation.window
                self.pictureAnimation = nil
                return [.needsRedraw]
            }
            return replaceWithFloatingWindow(&pictureAnimation, now: now)
        }
        guard !pictureAnimation.awaitsFloatingWindow else { return [] }
        if pictureAnimation.window.isFinished(at: now) {
            return pictureAnimation.isReturning
                ? [.returnAnimationFinished] : replaceWithFloatingWindow(&pictureAnimation, now: now)
        }
        return pictureAnimation.window.tick(now: now) ? [.needsRedraw] : []
    }

    /// Maps the floating window below the animation's window. The floating window then replaces the animation's window.
    private func replaceWithFloatingWindow(_ pictureAnimation: inout PictureAnimation, now: Int64) -> [Event] {
        pictureAnimation.awaitsFloatingWindow = true
        pictureAnimation.latestEndTime = now + PictureAnimation.timeout
        self.pictureAnimation = pictureAnimation
        // A window manager stacks the floating window by its own rules: `markExposed` raises the animation's window
        // again.
        connection.hasWindowManager ? window.map() : window.map(below: pictureAnimation.window.id)
        pictureAnimation.window.raise()
        return [.needsRedraw]
    }
}
