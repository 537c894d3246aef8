import CXCB
import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// An X11 window that floats above others, and shows a program's frames and controls. Used by its drawing thread.
final class PiPWindow {
    typealias Event = SurfaceEvent
    typealias OpenRequest = SurfaceOpenRequest

    let window: XWindow
    /// Draws into the window. Created when the window appears: its creation would delay the opening animation.
    private(set) lazy var surface = XSurface(
        connection: connection, window: window.id, size: frame.size, waitsForServer: false)
    let connection: XConnection
    /// The window's rectangle on its screen, as the X server reported it or as requested last.
    var frame: PixelRect
    /// The window's rectangle that the user chose last, for the aspect ratio that the picture had then. Pictures of
    /// other aspect ratios get a rectangle that covers as many pixels.
    var chosenFrame: PixelRect
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
    var picturePressTime: Int64?
    /// The keyboard, shared by all windows of the connection.
    let keyboard: XKeyboard
    var isPointerOverVolumeControl = false
    /// The position to which the user drags the progress bar, 0 to 1; `nil` while the user does not drag it.
    var draggedPosition: Double?
    /// Whether the see-through mode is on: the window is translucent and passes clicks to the windows below.
    var isTransparent = false
    /// The host time of the last query of the pointer and the Control key.
    var lastPointerQuery: Int64 = 0
    var frameAnimation: WindowAnimation?
    /// The picture's animation between the program's window and this window; `nil` while no animation runs.
    var pictureAnimation: PictureAnimation?
    let placementMemory: PlacementMemory
    var monitors: [PixelRect]
    private(set) var isWindowExposed = false
    private(set) var isHidden = false
    /// The full-screen window of which this window is a transient window; `nil` for none.
    var transientParent: xcb_window_t?
    /// The host time at which the window was last a transient window; `nil` before that.
    var lastTransientTime: Int64?
    /// Whether the states of the window are requested again as soon as the window manager has shown it.
    var restoresStates = false
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
        let preferredFrame = Self.initialFrame(picture: picture, monitors: monitors, memory: memory)
        let area = Self.monitorFrame(of: preferredFrame, monitors)
        frame = WindowPlacement.avoiding(opening.otherWindows, preferredFrame, area: area)
        chosenFrame = frame
        window = XWindow(connection: connection, frame: frame)
        isOnAllWorkspaces = opening.isOnAllWorkspaces
        setWindowProperties()
        connection.watchMonitors()
        if let startRect = opening.startRect, canAnimate(between: startRect, and: frame) {
            let openingAnimation = WindowAnimation(from: startRect, to: frame, startTime: 0)
            let animationWindow = AnimationWindow(connection: connection, animation: openingAnimation)
            pictureAnimation = PictureAnimation(animationWindow, isReturning: false)
        }
    }

    /// Returns the saved window rectangle for these monitors, or else a rectangle at the lower right of the first.
    static func initialFrame(picture: PixelSize, monitors: [PixelRect], memory: PlacementMemory) -> PixelRect {
        guard let savedFrame = memory.savedFrame(for: monitors) else {
            return WindowPlacement.initialFrame(picture: picture, area: monitors[0])
        }
        let area = monitorFrame(of: savedFrame, monitors)
        // If the picture's aspect ratio differs, the rectangle keeps the corner that is nearest to the area's corner.
        return WindowPlacement.movedInside(
            WindowPlacement.adapted(savedFrame, to: picture, area: area), area)
    }

    /// Returns the monitor that contains the middle of a window, or else the first monitor.
    private static func monitorFrame(of frame: PixelRect, _ monitors: [PixelRect]) -> PixelRect {
        monitors.first { $0.contains(x: frame.x + frame.width / 2, y: frame.y + frame.height / 2) } ?? monitors[0]
    }

    /// The rectangle of the monitor that contains the window, or the end of its animation.
    var monitorFrame: PixelRect { Self.monitorFrame(of: frameAnimation?.endFrame ?? frame, monitors) }

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
    func setSuspended(_ shouldSuspend: Bool) {
        guard shouldSuspend != isSuspended, !isReturning else { return }
        isSuspended = shouldSuspend
        if shouldSuspend {
            (pictureAnimation, finishedAnimationWindow) = (nil, nil)
            if let frameAnimation = frameAnimation.take() { setFrame(frameAnimation.endFrame) }
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
        guard let animation = pictureAnimation else { return surface.isReady }
        return animation.window.isReady && (surface.isReady || !animation.awaitsFloatingWindow || !isWindowExposed)
    }

    /// The size of the picture after the running animation, in pixels.
    var size: PixelSize { frameAnimation?.endFrame.size ?? (pictureAnimation == nil ? surface.size : frame.size) }
    /// The current size of the picture, in pixels.
    var drawnSize: PixelSize { surface.size }

    func setFrame(_ newFrame: PixelRect) {
        guard newFrame != frame else { return }
        frame = newFrame
        window.setFrame(newFrame)
    }

    /// Adapts the window to the display size of a new picture if the aspect ratio changed.
    private func adaptAspectRatio(to newSize: PixelSize) {
        let oldSize = pictureSize
        pictureSize = newSize
        // Rounding can change the aspect ratio by up to 1 % when only the size changes.
        let (newProduct, oldProduct) = (newSize.width * oldSize.height, oldSize.width * newSize.height)
        guard !newSize.isEmpty, abs(newProduct - oldProduct) > oldProduct / 100 else { return }
        let adaptedFrame = WindowPlacement.adapted(chosenFrame, to: newSize, area: monitorFrame)
        frameAnimation = nil
        setFrame(adaptedFrame)
        setHints()
    }

    /// Draws a picture with the controls and shows it. Returns the host time of showing; `nil` if it was not drawn.
    func show(_ picture: PictureMemory, format: FrameFormat, now: Int64 = MonotonicTime.now) -> Int64? {
        adaptAspectRatio(to: format.displaySize)
        if let pictureAnimation {
            let shownTime = pictureAnimation.window.show(picture, format: format, overlay: overlay, now: now)
            // The floating window disappears when the return animation begins.
            if pictureAnimation.isReturning { hide() }
            finishedAnimationWindow?.hideWithNextFrame()
            finishedAnimationWindow = nil
            // Also draw the floating window, because it will replace the animation's window above it.
            guard pictureAnimation.awaitsFloatingWindow, isWindowExposed else { return shownTime }
            defer { self.pictureAnimation?.floatingWindowDidDraw() }
            return drawFloatingWindow(picture, format: format) ?? shownTime
        }
        return drawFloatingWindow(picture, format: format)
    }

    /// Draws and shows a picture in the floating window. Returns the host time of showing; `nil` if it was not drawn.
    private func drawFloatingWindow(_ picture: PictureMemory, format: FrameFormat) -> Int64? {
        let showsButtons = isPointerInside && frameAnimation == nil, layout = layout
        drawnIndicatorStep = frameAnimation == nil ? busyIndicator.step(at: MonotonicTime.now) : nil
        let painter = ControlsPainter(
            layout: layout, playback: playback, audio: audio, hoveredButton: hoveredButton, showsButtons: showsButtons,
            bufferingIndicatorStep: drawnIndicatorStep, loadedUntil: loadedUntil,
            draggedPosition: gesture.isActive ? draggedPosition : nil)
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
        let stepTime = frameAnimation == nil && !isSuspended ? busyIndicator.nextChange(after: MonotonicTime.now) : nil
        let tickTimes = [frameAnimation.map { _ in lastStepTime + Self.stepInterval }, nextPointerQuery, stepTime]
        return tickTimes.compactMap { $0 }.min()
    }
    private var lastStepTime: Int64 = 0
    /// Nanoseconds between two steps of an animation.
    private static let stepInterval: Int64 = 8_000_000

    /// Advances animations to `now`.
    func tick(now: Int64) -> [Event] {
        if pictureAnimation != nil { return advancePictureAnimation(now: now) }
        if let pointerQueryTime = nextPointerQuery, now >= pointerQueryTime { updateSeeThroughMode(now: now) }
        guard let frameAnimation else {
            return !isSuspended && busyIndicator.step(at: now) != drawnIndicatorStep ? [.needsRedraw] : []
        }
        guard now >= lastStepTime + Self.stepInterval else { return [] }
        lastStepTime = now
        let newFrame = frameAnimation.frame(at: now), isFinished = frameAnimation.isFinished(at: now),
            changesSize = newFrame.size != surface.size
        if isFinished { self.frameAnimation = nil }
        if changesSize {
            // The new frame is sent together with a picture of its size, which is drawn first: a picture of the old
            // size would be cut off.
            (frame, movesWithNextPicture) = (newFrame, true)
            surface.resize(to: newFrame.size)
        } else {
            setFrame(newFrame)
        }
        return (changesSize ? [.needsRedraw] : []) + (isFinished ? [.resized(newFrame.size)] : [])
    }

    /// Sets whether the program waits for media. Returns whether the window must be redrawn now.
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool {
        busyIndicator.setWaiting(isBuffering, at: now)
        return drawnIndicatorStep != nil && !isBuffering
    }

    /// Animates the window to `rect`.
    func animate(to rect: PixelRect) {
        guard rect != frame else { return }
        frameAnimation = WindowAnimation(from: frame, to: rect, startTime: MonotonicTime.now)
        lastStepTime = 0
    }

    /// Stops the running animation at its current rectangle, because the user has pressed the window.
    func stopAnimation() -> [Event] { frameAnimation.take() == nil ? [] : [.resized(surface.size)] }

    /// Saves the window's rectangle, or the last rectangle of its animation, for the current monitors.
    func savePlacement() {
        setHints()
        chosenFrame = frameAnimation?.endFrame ?? frame
        placementMemory.save(chosenFrame, for: monitors)
    }

    // MARK: Events

    /// Handles an expose event: the window is on screen.
    func markExposed() -> [Event] {
        let isPainted = surface.repaint(), isFirstExpose = !isWindowExposed && pictureAnimation == nil
        isWindowExposed = true
        pictureAnimation?.window.raise()
        return (isPainted ? [] : [.needsRedraw]) + (isFirstExpose ? [.exposed] : [])
    }
}
