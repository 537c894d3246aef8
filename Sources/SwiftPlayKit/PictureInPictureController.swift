import CompositorProtocol
import Dispatch
import Glibc
import Logging
import Observation
import SwiftPlay
import SystemCalls

/// A controller that moves a layer's picture into a floating window of another process and back
/// (AVPictureInPictureController). Main queue only.
///
/// The layer, its player, the clock and the audio do not change: only the frames are shown elsewhere. Releasing the
/// controller closes its window at once, without calling the delegate.
///
/// The class is `Observable`: `withObservationTracking` reports changes of the properties that ``watch(_:)`` names.
@MainActor
public final class PictureInPictureController: Observable {
    /// Returns whether the environment has an X display for a floating window, or a terminal that can show the picture
    /// in a corner. The result does not change while the process runs.
    nonisolated public static func isPictureInPictureSupported() -> Bool { hasDisplay || TerminalSurface.isSupported }

    /// Whether the environment variable `DISPLAY` names an X display.
    nonisolated private static var hasDisplay: Bool { getenv("DISPLAY").map { $0.pointee != 0 } ?? false }

    /// The delegate of the controller (a weak reference).
    public weak var delegate: (any PictureInPictureControllerDelegate)?

    /// Whether the floating window shows the picture: true from just before `didStart` until just before `didStop`.
    public internal(set) var isPictureInPictureActive: Bool {
        get { observedValue(\.isPictureInPictureActive, \.isActive) }
        set { changeObservedValue(\.isPictureInPictureActive, \.isActive, to: newValue) }
    }
    /// Whether a start would not fail at once (AVPictureInPictureController.isPictureInPicturePossible): the compositor
    /// runs, the category of the ``/SwiftPlay/AudioSession`` is `playback` or `playAndRecord`, and the content source
    /// has a picture, playing or paused. The value does not depend on whether the floating window is open.
    public internal(set) var isPictureInPicturePossible: Bool {
        get { observedValue(\.isPictureInPicturePossible, \.isPossible) }
        set { changeObservedValue(\.isPictureInPicturePossible, \.isPossible, to: newValue) }
    }
    /// Whether ``stopPictureInPicture()`` would stop Picture-in-Picture: the floating window is open and no stop is
    /// under way.
    public internal(set) var canStopPictureInPicture: Bool {
        get { observedValue(\.canStopPictureInPicture, \.canStop) }
        set { changeObservedValue(\.canStopPictureInPicture, \.canStop, to: newValue) }
    }
    /// Whether a video call keeps the floating window off the screen (`swiftplay system video-call on`). Playback is
    /// paused in the meantime. After the call, the window and playback return automatically.
    public internal(set) var isPictureInPictureSuspended: Bool {
        get { observedValue(\.isPictureInPictureSuspended, \.isSuspended) }
        set { changeObservedValue(\.isPictureInPictureSuspended, \.isSuspended, to: newValue) }
    }
    /// Whether the compositor does not respond. Until it responds, the floating window does not change and the layer
    /// shows the picture.
    public internal(set) var isPictureInPictureStalled: Bool {
        get { observedValue(\.isPictureInPictureStalled, \.isStalled) }
        set { changeObservedValue(\.isPictureInPictureStalled, \.isStalled, to: newValue) }
    }
    /// Whether a video call keeps floating windows off the screen.
    var isHiddenByVideoCall = false
    /// Whether playback was paused because of the video call, so that it resumes after the call.
    var isPausedByVideoCall = false
    /// The reason why the last Picture-in-Picture ended; nil before the first one has ended.
    public internal(set) var stopReason: PictureInPictureStopReason?
    /// The reason why Picture-in-Picture is not available; nil while the compositor serves this process, and until it
    /// has responded for the first time.
    public internal(set) var unavailableReason: String?

    /// Whether the user can neither skip nor seek with the controls of the floating window; false by default. The
    /// program itself can still skip and seek. The property may be changed at any time.
    public var requiresLinearPlayback = false {
        didSet { if oldValue != requiresLinearPlayback { sendLinearPlayback() } }
    }

    /// Whether Picture-in-Picture may start automatically when a playing video that is not in full screen is no longer
    /// visible (its window is minimized, covered or on another workspace); false by default. Such a Picture-in-Picture
    /// ends when the video is visible again. Set this only for the program's main content. From full screen, automatic
    /// starts are always permitted. The user can switch automatic starts off for all programs.
    public var canStartPictureInPictureAutomaticallyFromInline = false { didSet { automaticController?.update() } }

    /// Whether Picture-in-Picture may start automatically when the layer is no longer visible.
    var mayStartAutomatically: Bool {
        let isSourceReady = canStartPictureInPictureAutomaticallyFromInline || playerLayer?.isFullScreen == true
        let isPermitted = prohibitionReason == nil && Self.audioSessionPermitsPictureInPicture
        return isSourceReady && isPermitted && isCompositorAvailable
            && CompositorLink.shared.startsPictureInPictureAutomatically
    }

    /// The reason why the ``PlayerViewController`` that uses this controller forbids Picture-in-Picture; nil if it is
    /// permitted.
    var prohibitionReason: String? { didSet { if oldValue != prohibitionReason { updateStartPossibility() } } }

    /// Whether the category of the audio session permits Picture-in-Picture. As on Apple's systems it must be
    /// `playback` or `playAndRecord`.
    static var audioSessionPermitsPictureInPicture: Bool {
        switch AudioSession.sharedInstance().category {
        case .playback, .playAndRecord: true
        case .ambient, .soloAmbient, .record, .multiRoute: false
        }
    }

    /// Starts and stops Picture-in-Picture automatically.
    private(set) var automaticController: AutomaticPictureInPictureController?
    /// The state machine that turns requests of the program and events of the compositor into actions.
    var machine = PictureInPictureMachine()
    /// The connection of this controller's floating window to the compositor process.
    let session = RemoteSession()
    /// The stored value of ``contentSource``.
    var source: ContentSource?
    /// The registration that observes the content source's layer; releasing it ends the observation.
    var sourceObservation: (any Sendable)?
    /// The registration that observes the category of the audio session, which may forbid Picture-in-Picture.
    private var categoryObservation: AudioSession.CategoryObservation?
    /// The content source whose picture the floating window shows. ``contentSource`` may be replaced before the window
    /// closes.
    var windowSource: ContentSource?
    /// Whether the compositor accepts the pictures of this process.
    var isCompositorAvailable = false
    /// The host time of the last request for a start or a stop, in nanoseconds.
    var lastRequestTime: Int64 = 0
    /// The actions of the state machine that were not performed yet.
    var pendingActions: [PictureInPictureMachine.Action] = []
    /// Whether an action of the state machine is being performed. A delegate method that the action calls may request
    /// further actions.
    var isPerformingAction = false
    /// Whether ``pendingActions`` wait until the layer shows the picture.
    var waitsForLayer = false
    /// The timer that sends the playback state to the floating window while the window is open.
    var playbackTimer: (any DispatchSourceTimer)?
    /// The registration that observes the player while the floating window is open; nil while it is closed.
    var playbackObservation: Player.Observation?
    /// Whether the floating window is moving back to the layer in an animation. The compositor closes the window
    /// afterwards without a further request.
    var isReturningToLayer = false
    /// The size of the picture in the floating window in pixels, as the compositor reported it last; nil if there is no
    /// window.
    var renderSize: VideoSize?
    /// The state of the skips that the playback delegate performs.
    var skipState = SkipState()
    /// Whether the controller is pausing the playback delegate because the floating window is off the screen.
    private var isPausingHiddenPlayback = false
    /// The item that failed while the floating window was open. The window closes if the program sets no other item
    /// within half a second.
    var failedItem: PlayerItem?
    /// The values of the observable properties. Change them only through those properties.
    var state = PictureInPictureState()
    /// Registers accesses to the observable properties for `withObservationTracking` (Observation module).
    let registrar = ObservationRegistrar()
    /// The closures that ``watch(_:)`` has added, with the observers' numbers as keys.
    var watchers: [UInt64: (PictureInPictureController) -> Void] = [:]
    /// The number that ``watch(_:)`` gives to the next observer.
    var nextWatcherNumber: UInt64 = 0
    /// The closures that finish the sequences of ``values(of:)``, by the numbers of their observers.
    let streamFinishers = Monitor<[UInt64: @Sendable () -> Void]>([:])
    let logger = Logger(label: "pip")

    /// Creates a controller for a player's layer; nil if Picture-in-Picture is not supported.
    ///
    /// - Parameter playerLayer: The layer.
    public convenience init?(playerLayer: PlayerLayer) {
        guard Self.isPictureInPictureSupported() else { return nil }
        self.init(contentSource: ContentSource(playerLayer: playerLayer))
    }

    /// Creates a controller for a content source. Its floating window opens on the X display or, without a display, in
    /// a corner of the terminal of the layer's ``PlayerWindow``. If Picture-in-Picture is not supported, a start is
    /// never possible.
    ///
    /// - Parameter contentSource: The source of the pictures.
    public convenience init(contentSource: ContentSource) {
        guard Self.hasDisplay else {
            let terminal = TerminalSurface()
            self.init(
                contentSource: contentSource, surface: terminal?.surface, descriptors: terminal?.descriptors ?? [])
            return
        }
        let authority = getenv("XAUTHORITY").map { String(cString: $0) } ?? ""
        let display = getenv("DISPLAY").map { String(cString: $0) } ?? ""
        self.init(contentSource: contentSource, surface: .x11(display: display, authority: authority))
    }

    /// Creates a controller without a window: the compositor receives the frames and discards them (`--vo=null`).
    package static func headless(playerLayer: PlayerLayer) -> PictureInPictureController {
        PictureInPictureController(contentSource: ContentSource(playerLayer: playerLayer), surface: .headless)
    }

    /// Creates a controller for a corner of the terminal (`--vo=terminal`); nil if there is no terminal.
    package static func terminal(playerLayer: PlayerLayer) -> PictureInPictureController? {
        TerminalSurface().map {
            PictureInPictureController(
                contentSource: ContentSource(playerLayer: playerLayer), surface: $0.surface, descriptors: $0.descriptors
            )
        }
    }

    /// Creates a controller that shows its floating window on a given surface.
    ///
    /// - Parameters:
    ///   - contentSource: The source of the pictures.
    ///   - surface: The X display or the terminal; nil if there is neither.
    ///   - descriptors: The file descriptors of the terminal; empty for an X display.
    package init(contentSource: ContentSource, surface: ClientMessage.Surface?, descriptors: [SharedDescriptor] = []) {
        let owner = WeakReference(self)
        if let surface {
            session.open(surface, descriptors: descriptors) { event in
                DispatchQueue.main.async { MainActor.assumeIsolated { owner.controller?.handle(event) } }
            }
        } else {
            unavailableReason = "there is no X display and no terminal"
        }
        automaticController = AutomaticPictureInPictureController(self)
        categoryObservation = AudioSession.sharedInstance().observeCategory {
            DispatchQueue.main.async { MainActor.assumeIsolated { owner.controller?.updateStartPossibility() } }
        }
        replaceSource(with: contentSource)
    }

    deinit {
        session.close()
        ProgramVisibility.shared.setFloating(ObjectIdentifier(self), false)
        Application.shared.setFloating(nil, by: ObjectIdentifier(self))
        ProgramVisibility.shared.setPictureInPictureUnderway(ObjectIdentifier(self), false)
        for finish in streamFinishers.withLock({ Array($0.values) }) { finish() }
    }

    /// A weak reference to the controller, which closures on other threads may carry.
    @MainActor final class WeakReference: Sendable {
        weak var controller: PictureInPictureController?
        init(_ controller: PictureInPictureController) { self.controller = controller }
    }

    // MARK: Requests of the program

    /// The source of the pictures. If it is replaced while the floating window is open, the window continues with the
    /// picture of the new source, without calling the delegate. A source without a picture, or nil, ends
    /// Picture-in-Picture.
    public var contentSource: ContentSource? {
        get { source }
        set { replaceSource(with: newValue) }
    }

    /// The player's layer that is the content source; nil if the program supplies its own frames.
    public var playerLayer: PlayerLayer? { source?.playerLayer }

    /// Starts Picture-in-Picture. The delegate is called after this method has returned. Does nothing while the
    /// floating window is opening or open. If the compositor could not be started before, the start fails, and the
    /// compositor is started again for the next one.
    public func startPictureInPicture() {
        lastRequestTime = MonotonicTime.now
        schedule(machine.handle(.start(obstacle: startObstacle)))
        retryCompositor()
    }

    /// Starts Picture-in-Picture now or as soon as it is possible. Use this method in a program that starts in
    /// Picture-in-Picture. ``stopPictureInPicture()`` cancels a pending start.
    public func startPictureInPictureWhenPossible() {
        lastRequestTime = MonotonicTime.now
        schedule(machine.handle(.startWhenPossible(isPossible: startObstacle == nil)))
        retryCompositor()
    }

    /// Stops Picture-in-Picture as the restore button does: lets the delegate restore the interface, then closes the
    /// floating window. Does nothing without a window. If the window is still opening, it closes after it has opened,
    /// without a restore.
    public func stopPictureInPicture() {
        lastRequestTime = MonotonicTime.now
        schedule(machine.handle(.stop))
    }

    /// Stops Picture-in-Picture as the close button does: closes the window without a restore, and pauses playback.
    public func closePictureInPicture() {
        lastRequestTime = MonotonicTime.now
        schedule(machine.handle(.close))
    }

    /// Reads the playback state from the playback delegate again. Needed only if the program supplies its own frames.
    /// Call this method after every pause and start, and when the time range that can be played has changed.
    public func invalidatePlaybackState() {
        if let delegate = source?.sampleBufferPlaybackDelegate {
            let isProhibited = delegate.pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(self)
            // The playback delegate calls this method again from within `setPlaying`: the flag ends that recursion.
            if isProhibited, isPictureInPictureSuspended, isPlaying, !isPausingHiddenPlayback {
                isPausingHiddenPlayback = true
                setPlaying(false)
                isPausingHiddenPlayback = false
            }
        }
        sendPlaybackState()
    }
}
