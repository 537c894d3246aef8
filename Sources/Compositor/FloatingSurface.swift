import CompositorProtocol
import SharedFrames
import SystemCalls

/// The place in which a session's picture floats: a window on a display, cells of a terminal, or no visible place.
///
/// Used by one thread. No method but ``confirm()``, ``open(_:)`` and ``showFirst(_:format:isOutdated:)`` waits for the
/// display.
protocol FloatingSurface: AnyObject {
    /// Whether the surface has been opened and not closed since.
    var isOpen: Bool { get }
    /// Whether a picture can be drawn without waiting for the display.
    var isReady: Bool { get }
    /// Whether what is drawn is on screen without a further event.
    var isExposed: Bool { get }
    /// Whether the surface shows controls, and has to be drawn again when they change.
    var drawsControls: Bool { get }
    /// Whether frames that arrive late are shown for a moment each; otherwise only the newest one is.
    var showsLateFrames: Bool { get }
    /// Whether the surface is flying back to the picture's place in its program.
    var isLanding: Bool { get }
    /// Whether the surface flies back and hides next to nothing of the place to which it flies.
    var isLayerInView: Bool { get }
    /// Where the surface lies on its display; nil: nowhere.
    var frame: PixelRect? { get }
    /// A descriptor to wait for until it is writable; nil: none.
    var blockedDescriptor: Int32? { get }
    /// Host time at which ``tick(now:)`` has something to do; nil: never.
    var nextTick: Int64? { get }
    /// What is drawn over the picture.
    var content: FloatingContent { get set }

    /// Opens the surface for a picture of a size, to be seen with the first frame.
    ///
    /// - Returns: the size in pixels in which the picture is drawn; nil where the program need not know.
    func open(_ picture: PixelSize, _ opening: FloatingOpening) -> PixelSize?

    /// Shows the first frame, where that takes several steps, unless `isOutdated` returns true just before it comes on
    /// screen.
    func showFirst(_ picture: PictureMemory, format: FrameFormat, isOutdated: () -> Bool) -> FirstFrameResult

    /// Draws a frame.
    ///
    /// - Returns: the host time at which it was given to the screen; nil when that is not yet so.
    func show(_ picture: PictureMemory, format: FrameFormat, frame: UInt64) -> Int64?

    /// Notes that the program sent a frame, drawn or not.
    func noteFrame(at now: Int64)

    /// Waits until the display has done everything asked of it. False when it is lost.
    func confirm() -> Bool

    /// Ends a flight early, so that no late frame is lost on the way.
    func hurry()

    /// Flies to `place`, where the program shows the picture again.
    ///
    /// - Returns: nil where the surface cannot fly.
    func land(on place: PixelRect) -> [FloatingOutcome]?

    /// Takes the surface off the screen for a time, or puts it back with the next frame.
    func setSuspended(_ isSuspended: Bool)

    /// Sets whether the program waits for media.
    ///
    /// - Returns: whether the surface has to be drawn again.
    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool

    /// Does what is due by `now`.
    func tick(now: Int64) -> [FloatingOutcome]

    /// Removes the surface from the screen. It may be opened again.
    func close()
}

/// What a surface reports.
enum FloatingOutcome: Equatable {
    /// The user did something in it.
    case action(ServerMessage.Action)
    /// It is on screen and can be painted.
    case exposed
    /// It has arrived at the place where the program shows the picture.
    case landed
    case resized(PixelSize)
    case needsRedraw
    /// A frame is on screen now.
    case shown(frame: UInt64)
    /// It cannot be used any more, for this reason.
    case lost(String)
}

/// What became of the first frame of a surface.
enum FirstFrameResult: Equatable {
    /// It is on screen since this host time.
    case shown(Int64)
    /// A newer one has arrived meanwhile, and nothing is on screen.
    case outdated
    /// The surface needs no such steps: ``FloatingSurface/show(_:format:frame:)`` shows the first frame, too.
    case unnecessary
}

/// How a surface comes on screen.
struct FloatingOpening {
    /// Where the picture was seen until now; nil: nowhere.
    var origin: PixelRect?
    var isOnAllWorkspaces = true
    /// Other floating windows on the display, which this one does not cover if it can.
    var neighbours: [PixelRect] = []
}

/// What is drawn over the picture.
struct FloatingContent {
    var playback = PlaybackFacts(isPaused: false, position: 0, duration: 0)
    /// nil: the program has no volume to control.
    var sound: SoundFacts?
    /// Whether the user can neither skip nor seek.
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
