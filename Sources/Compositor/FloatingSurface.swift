import CompositorProtocol
import SharedFrames
import SystemCalls

/// A surface that shows a session's floating picture: a window on a display, cells of a terminal, or no visible place.
///
/// Used by one thread. Only ``confirm()``, ``open(_:_:)`` and ``showFirst(_:format:isOutdated:)`` wait for the display.
protocol FloatingSurface: AnyObject {
    /// Whether the surface has been opened and not closed since.
    var isOpen: Bool { get }
    /// Whether a picture can be drawn without waiting for the display.
    var isReady: Bool { get }
    /// Whether drawn pictures appear on screen without waiting for a further event.
    var isExposed: Bool { get }
    /// Whether the surface shows controls and must be redrawn when they change.
    var drawsControls: Bool { get }
    /// Whether each late frame is shown for a moment. If false, only the newest frame is shown.
    var showsLateFrames: Bool { get }
    /// Whether the return animation to the program's own layer is running.
    var isLanding: Bool { get }
    /// Whether the return animation is running and still covers almost no part of the program's layer.
    var isLayerInView: Bool { get }
    /// The rectangle of the surface on its display; `nil` without one.
    var frame: PixelRect? { get }
    /// A descriptor to poll for writability; `nil` if the surface waits for no descriptor.
    var blockedDescriptor: Int32? { get }
    /// The host time at which ``tick(now:)`` is due; `nil` if it is not needed.
    var nextTick: Int64? { get }
    /// The controls and the overlay that are drawn over the picture.
    var content: FloatingContent { get set }

    /// Opens the surface for a picture of a size. The surface appears with the first frame.
    ///
    /// - Returns: The size in pixels in which the picture is drawn; `nil` if the program does not need it.
    func open(_ picture: PixelSize, _ opening: FloatingOpening) -> PixelSize?

    /// Shows the first frame if that takes several steps, unless `isOutdated` returns true just before the frame
    /// appears.
    ///
    /// - Parameter isOutdated: Returns whether a newer frame has arrived. Called on the calling thread.
    func showFirst(_ picture: PictureMemory, format: FrameFormat, isOutdated: () -> Bool) -> FirstFrameResult

    /// Draws a frame.
    ///
    /// - Returns: The host time at which the frame was given to the screen; `nil` if it was not yet.
    func show(_ picture: PictureMemory, format: FrameFormat, frame: UInt64) -> Int64?

    /// Notes that the program sent a frame, drawn or not.
    func noteFrame(at now: Int64)

    /// Waits until the display has processed all requests.
    ///
    /// - Returns: False if the display is lost.
    func confirm() -> Bool

    /// Finishes an animation early, so that no late frame is dropped while it runs.
    func hurry()

    /// Starts the return animation to `place`, the rectangle of the program's own layer.
    ///
    /// - Returns: The first outcomes; `nil` if the surface has no animations.
    func land(on place: PixelRect) -> [FloatingOutcome]?

    /// Hides the surface, or shows it again with the next frame.
    func setSuspended(_ isSuspended: Bool)

    /// Sets whether the program waits for media.
    ///
    /// - Returns: Whether the surface must be redrawn.
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool

    /// Advances animations and other timed work to `now`.
    func tick(now: Int64) -> [FloatingOutcome]

    /// Removes the surface from the screen. It can be opened again.
    func close()
}

/// An event of a surface.
enum FloatingOutcome: Equatable {
    /// The user operated a control of the surface.
    case action(ServerMessage.Action)
    /// The surface is on screen and can be painted.
    case exposed
    /// The return animation has finished.
    case landed
    case resized(PixelSize)
    case needsRedraw
    /// A frame appeared on screen.
    case shown(frame: UInt64)
    /// The surface became unusable, for this reason.
    case lost(String)
}

/// The result of showing the first frame of a surface.
enum FirstFrameResult: Equatable {
    /// The frame is on screen since this host time.
    case shown(Int64)
    /// A newer frame has arrived, and the surface is not on screen yet.
    case outdated
    /// The surface needs no extra steps: ``FloatingSurface/show(_:format:frame:)`` shows the first frame, too.
    case unnecessary
}

/// The conditions under which a surface opens.
struct FloatingOpening {
    /// The rectangle of the program's layer, from which the opening animation starts; `nil` for no animation.
    var origin: PixelRect?
    var isOnAllWorkspaces = true
    /// The rectangles of other floating windows on the display. The new window avoids them if there is room.
    var neighbours: [PixelRect] = []
}

/// The controls and the overlay that are drawn over the picture.
struct FloatingContent {
    var playback = PlaybackFacts(isPaused: false, position: 0, duration: 0)
    /// The volume state; `nil` if the program has no volume control.
    var sound: SoundFacts?
    /// Whether skipping and seeking are disabled.
    var isLinear = false
    var overlay: SharedOverlay?
}

extension FloatingSurface {
    var isLanding: Bool { false }
    var isLayerInView: Bool { false }
    var frame: PixelRect? { nil }
    var blockedDescriptor: Int32? { nil }
    func showFirst(_ picture: PictureMemory, format: FrameFormat, isOutdated: () -> Bool) -> FirstFrameResult {
        .unnecessary
    }
    func noteFrame(at now: Int64) {}
    func confirm() -> Bool { true }
    func hurry() {}
    func land(on place: PixelRect) -> [FloatingOutcome]? { nil }
    func setSuspended(_ isSuspended: Bool) {}
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool { false }
}
