import CompositorProtocol
import SharedFrames
import SystemCalls

/// A surface that shows the picture of a Picture-in-Picture session: a window on an X display, cells of a terminal, or
/// no visible place.
///
/// Used by one thread. ``waitUntilProcessed()``, ``open(_:_:)`` and ``showFirstFrame(_:format:isOutdated:)`` wait for
/// the display server. The other members wait at most for the reply to a query, such as a query of the pointer's
/// position.
protocol FloatingSurface: AnyObject {
    /// Whether the surface has been opened and not closed since.
    var isOpen: Bool { get }
    /// Whether a picture can be drawn without waiting for the display server.
    var isReady: Bool { get }
    /// Whether drawn pictures appear on screen without waiting for a further event.
    var isExposed: Bool { get }
    /// Whether the surface shows controls and must be redrawn when their state changes.
    var drawsControls: Bool { get }
    /// Whether each frame that arrives late is shown for a moment. If false, only the newest frame is shown.
    var showsLateFrames: Bool { get }
    /// Whether the return animation, from the surface to the program's own layer, is running.
    var isReturning: Bool { get }
    /// Whether the program's own layer is visible: the return animation is running and still covers almost no part of
    /// the layer.
    var isProgramLayerVisible: Bool { get }
    /// The rectangle of the surface on the screen; `nil` for a surface without a screen.
    var frame: PixelRect? { get }
    /// The terminal's descriptor to poll for writability; `nil` if the surface does not wait for a terminal.
    var blockedDescriptor: Int32? { get }
    /// The host time at which ``tick(now:)`` must be called; `nil` if the surface has no timed work.
    var nextTick: Int64? { get }
    /// The controls and the overlay that are drawn over the picture.
    var content: SurfaceContent { get set }

    /// Opens the surface for a picture of a size. The surface appears with the first frame.
    ///
    /// - Returns: The size in pixels in which the picture is drawn; `nil` if the program does not need it.
    func open(_ pictureSize: PixelSize, _ request: SurfaceOpenRequest) -> PixelSize?

    /// Shows the first frame on a surface whose opening takes several steps, unless `isOutdated` returns true just
    /// before the frame appears.
    ///
    /// - Parameter isOutdated: Returns whether a newer frame has arrived. Called on the calling thread.
    func showFirstFrame(_ picture: PictureMemory, format: FrameFormat, isOutdated: () -> Bool) -> FirstFrameResult

    /// Draws a frame.
    ///
    /// - Returns: The host time at which the frame was sent to the screen; `nil` if it has not been sent yet.
    func show(_ picture: PictureMemory, format: FrameFormat, frameNumber: UInt64) -> Int64?

    /// Records that the program has sent a frame, which the surface may draw or skip.
    func didReceiveFrame(at now: Int64)

    /// Waits until the display server has processed all requests that were sent so far.
    ///
    /// - Returns: False if the connection to the display server is lost.
    func waitUntilProcessed() -> Bool

    /// Ends a running animation at once, because drawing it would delay and drop frames.
    func finishAnimation()

    /// Starts the return animation to `rect`, the rectangle of the program's own layer.
    ///
    /// - Returns: The events of the surface at the start of the animation; `nil` if the surface has no animations.
    func beginReturnAnimation(to rect: PixelRect) -> [SurfaceEvent]?

    /// Hides the surface, or shows it again with the next frame.
    func setSuspended(_ isSuspended: Bool)

    /// Sets whether the program waits for media; the surface then shows a buffering indicator.
    ///
    /// - Returns: Whether the surface must be redrawn.
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool

    /// Advances animations and other timed work to `now`.
    func tick(now: Int64) -> [SurfaceEvent]

    /// Removes the surface from the screen. The surface can be opened again.
    func close()
}

/// An event of a surface.
enum SurfaceEvent: Equatable {
    /// The user operated a control of the surface.
    case action(ServerMessage.Action)
    /// The surface is on screen and can be painted.
    case exposed
    /// The return animation, which moves the picture back to the program's window, has finished.
    case returnAnimationFinished
    /// The user or an animation changed the size of the picture to this size in pixels.
    case resized(PixelSize)
    /// The current frame must be drawn again.
    case needsRedraw
    /// The frame with this number appeared on screen.
    case shown(frame: UInt64)
    /// The surface became unusable, for this reason.
    case lost(String)
}

/// The result of showing the first frame of a surface.
enum FirstFrameResult: Equatable {
    /// The first frame appeared on screen at this host time, in nanoseconds.
    case shown(Int64)
    /// A newer frame has arrived, so the first frame was not shown and the surface is not on screen yet.
    case outdated
    /// Opening this surface takes no extra steps: ``FloatingSurface/show(_:format:frameNumber:)`` shows the first
    /// frame, too.
    case unnecessary
}

/// The parameters for opening a surface: the start of its animation, its workspaces, and the windows to avoid.
struct SurfaceOpenRequest {
    /// The rectangle of the program's layer, from which the opening animation starts; `nil` for no animation.
    var startRect: PixelRect?
    /// Whether the window is visible on all workspaces.
    var isOnAllWorkspaces = true
    /// The rectangles of other floating windows on the screen. The new window avoids them if there is room.
    var otherWindows: [PixelRect] = []
}

/// The controls and the overlay that are drawn over the picture.
struct SurfaceContent {
    /// The playback state that the controls show.
    var playback = PlaybackState(isPaused: false, position: 0, duration: 0)
    /// The position up to which the item is loaded, in nanoseconds; 0 to show no loaded part.
    var loadedUntil: Int64 = 0
    /// The volume state; `nil` if the program has no volume control.
    var audio: AudioState?
    /// Whether skipping and seeking are disabled.
    var requiresLinearPlayback = false
    /// The program's overlay, such as subtitles; `nil` for none.
    var overlay: SharedOverlay?
    /// The text of the overlay, for surfaces that draw characters; empty if it has none.
    var overlayText = ""
}

extension FloatingSurface {
    var isReturning: Bool { false }
    var isProgramLayerVisible: Bool { false }
    var frame: PixelRect? { nil }
    var blockedDescriptor: Int32? { nil }
    func showFirstFrame(_ picture: PictureMemory, format: FrameFormat, isOutdated: () -> Bool) -> FirstFrameResult {
        .unnecessary
    }
    func didReceiveFrame(at now: Int64) {}
    func waitUntilProcessed() -> Bool { true }
    func finishAnimation() {}
    func beginReturnAnimation(to rect: PixelRect) -> [SurfaceEvent]? { nil }
    func setSuspended(_ isSuspended: Bool) {}
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool { false }
}
