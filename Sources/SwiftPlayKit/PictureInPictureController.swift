import CompositorProtocol
import Dispatch
import Glibc
import Logging
import SwiftPlay
import SystemCalls

/// Moves a layer's picture into a floating window of another process and back (AVPictureInPictureController). Main
/// queue only.
///
/// The layer, its player, the clock and the sound are not touched: frames are just shown elsewhere. Releasing the
/// controller closes its window at once, and nobody is told.
@MainActor
public final class PictureInPictureController {
    /// True where there is a display to open a window on, or a terminal with a corner for the picture. Constant for the
    /// life of the process.
    nonisolated public static func isPictureInPictureSupported() -> Bool { hasDisplay || TerminalSurface.isSupported }

    nonisolated private static var hasDisplay: Bool { getenv("DISPLAY").map { $0.pointee != 0 } ?? false }

    /// Not kept: the program does.
    public weak var delegate: (any PictureInPictureControllerDelegate)?

    /// True while the window shows the picture: from before `didStart` on, and until `didStop`.
    public internal(set) var isPictureInPictureActive = false {
        didSet { if oldValue != isPictureInPictureActive { changed() } }
    }
    /// Whether a start would not fail at once (AVPictureInPictureController.isPictureInPicturePossible): the compositor
    /// runs, the category of the ``/SwiftPlay/AudioSession`` is `playback` or `playAndRecord`, and the content source
    /// has a picture, playing or paused. Stays true while the floating window is open.
    public internal(set) var isPictureInPicturePossible = false {
        didSet { if oldValue != isPictureInPicturePossible { changed() } }
    }
    /// True while ``stopPictureInPicture()`` would end a Picture-in-Picture of this controller: its window is open, and
    /// no stop is under way.
    public internal(set) var canStopPictureInPicture = false {
        didSet { if oldValue != canStopPictureInPicture { changed() } }
    }
    /// True while a video call keeps the window off the screen (`swiftplay system video-call on`). What plays in it is
    /// paused; after the call both come back by themselves.
    public internal(set) var isPictureInPictureSuspended = false {
        didSet { if oldValue != isPictureInPictureSuspended { changed() } }
    }
    /// True while the compositor does not answer: the floating window stands still, and the layer shows the picture
    /// until it moves again.
    public internal(set) var isPictureInPictureStalled = false {
        didSet { if oldValue != isPictureInPictureStalled { changed() } }
    }
    /// A video call has the place of floating windows.
    var isPlaceTaken = false
    var pausedBySuspension = false
    /// How the last Picture-in-Picture ended; nil before the first has.
    public internal(set) var stopReason: PictureInPictureStopReason?
    /// Why it is not possible, in words; nil while there is a compositor.
    public internal(set) var unavailableReason: String?

    /// The user can neither skip nor seek in the window: for what must be seen whole. The program still can. May change
    /// at any time.
    public var requiresLinearPlayback = false { didSet { if oldValue != requiresLinearPlayback { tellLinear() } } }

    /// Whether Picture-in-Picture may start by itself when a playing video goes out of sight (its window is minimised,
    /// covered by others, or left behind on another workspace) although it does not fill the screen; it then ends when
    /// the video is seen again. Set it only for what the user came for. From full screen it may start either way. The
    /// user can switch this off for all programs.
    public var canStartPictureInPictureAutomaticallyFromInline = false { didSet { automatic?.look() } }

    /// Whether Picture-in-Picture may start by itself now, once the picture is out of sight.
    var mayStartAutomatically: Bool {
        let isPlaceRight = canStartPictureInPictureAutomaticallyFromInline || playerLayer?.isFullScreen == true
        let isPermitted = prohibition == nil && Self.sessionPermits
        return isPlaceRight && isPermitted && isAvailable && CompositorLink.shared.startsAutomatically
    }

    /// Why the owner of this controller allows no Picture-in-Picture; nil: it does.
    var prohibition: String? { didSet { if oldValue != prohibition { reconsider() } } }

    /// Whether the category of the program's audio session lets a picture float: as on Apple's systems it has to be
    /// `playback` or `playAndRecord`. Every program here may play in the background.
    static var sessionPermits: Bool {
        switch AudioSession.sharedInstance().category {
        case .playback, .playAndRecord: true
        case .ambient, .soloAmbient, .record, .multiRoute: false
        }
    }

    private(set) var automatic: AutomaticStarter?
    var machine = PictureInPictureMachine()
    let session = RemoteSession()
    var source: ContentSource?
    var sourceObservation: (any Sendable)?
    private var categoryObservation: AudioSession.CategoryObservation?
    /// The source whose picture the window shows: the content source may be replaced before the window has closed.
    var windowSource: ContentSource?
    /// There is a compositor, and it takes our pictures.
    var isAvailable = false
    var requestedAt: Int64 = 0
    /// Actions that are still to be performed, and whether that is going on.
    var pending: [PictureInPictureMachine.Action] = []
    var isPerforming = false
    /// The pending actions wait until the picture is at the layer.
    var isReturning = false
    var facts: (any DispatchSourceTimer)?
    /// Of the player, while its window is open.
    var playbackObservation: Player.Observation?
    /// The window was told to fly back, which is a stop too.
    var isLanding = false
    /// Of the window, as its compositor said last.
    var renderSize: VideoSize?
    /// A dragged line of progress asks for more places than a program can go to: one at a time.
    var skipping = Skipping()
    /// The playback delegate is being told to pause since it may not play behind a window that is off the screen.
    private var isEnforcingSilence = false
    /// The item that failed while its window was open, for a moment.
    var failedItem: PlayerItem?
    private var watchers: [UInt64: (PictureInPictureController) -> Void] = [:]
    private var nextWatcher: UInt64 = 0
    private let streams = Monitor<[UInt64: @Sendable () -> Void]>([:])
    let logger = Logger(label: "pip")

    /// nil when Picture-in-Picture is not supported.
    public convenience init?(playerLayer: PlayerLayer) {
        guard Self.isPictureInPictureSupported() else { return nil }
        self.init(contentSource: ContentSource(playerLayer: playerLayer))
    }

    /// One whose window is on the display; where there is none, in a corner of the terminal that the layer's
    /// ``PlayerWindow`` is on. Where Picture-in-Picture is not supported this one is never possible.
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

    /// One whose window is nowhere: the compositor takes the frames in time and shows them to nobody (`--vo=null`).
    package static func headless(playerLayer: PlayerLayer) -> PictureInPictureController {
        PictureInPictureController(contentSource: ContentSource(playerLayer: playerLayer), surface: .headless)
    }

    /// One whose picture goes to a corner of the terminal (`--vo=terminal`); nil when there is none.
    package static func terminal(playerLayer: PlayerLayer) -> PictureInPictureController? {
        TerminalSurface().map {
            PictureInPictureController(
                contentSource: ContentSource(playerLayer: playerLayer), surface: $0.surface, descriptors: $0.descriptors
            )
        }
    }

    package init(contentSource: ContentSource, surface: ClientMessage.Surface?, descriptors: [SharedDescriptor] = []) {
        let relay = Relay(self)
        if let surface {
            session.open(surface, descriptors: descriptors) { event in
                DispatchQueue.main.async { MainActor.assumeIsolated { relay.controller?.heard(event) } }
            }
        } else {
            unavailableReason = "there is neither an X display nor a terminal"
        }
        automatic = AutomaticStarter(self)
        categoryObservation = AudioSession.sharedInstance().observeCategory {
            DispatchQueue.main.async { MainActor.assumeIsolated { relay.controller?.reconsider() } }
        }
        replaceSource(with: contentSource)
    }

    deinit {
        session.close()
        ProgramPresence.shared.setFloating(ObjectIdentifier(self), false)
        ProgramPresence.shared.setStarting(ObjectIdentifier(self), false)
        for finish in streams.withLock({ Array($0.values) }) { finish() }
    }

    /// Lets closures reach the controller without keeping it.
    @MainActor final class Relay: Sendable {
        weak var controller: PictureInPictureController?
        init(_ controller: PictureInPictureController) { self.controller = controller }
    }

    // MARK: what a program asks

    /// Where the pictures come from. May be replaced while the window is open: it goes on with the new source's
    /// picture, and nobody is told; unless that source has none to show yet (or is nil), which ends Picture-in-Picture.
    public var contentSource: ContentSource? {
        get { source }
        set { replaceSource(with: newValue) }
    }

    /// That of the content source; nil where that is not a player layer.
    public var playerLayer: PlayerLayer? { source?.playerLayer }

    /// Opens the window. The delegate is told the outcome after this has returned. Does nothing while a window opens or
    /// is open.
    public func startPictureInPicture() {
        requestedAt = MonotonicTime.now
        schedule(machine.handle(.start(obstacle: obstacle)))
    }

    /// Starts now, or as soon as it is possible: for a program that begins in Picture-in-Picture. A stop takes it back.
    public func startPictureInPictureWhenPossible() {
        requestedAt = MonotonicTime.now
        schedule(machine.handle(.startWhenPossible(isPossible: obstacle == nil)))
    }

    /// Asks the program to bring its interface back and then closes the window, as the restore button does. Without a
    /// window nothing happens; one that is just opening is closed when it has, and nobody is asked.
    public func stopPictureInPicture() {
        requestedAt = MonotonicTime.now
        schedule(machine.handle(.stop))
    }

    /// Closes the window without asking and pauses, as the close button does.
    public func closePictureInPicture() {
        requestedAt = MonotonicTime.now
        schedule(machine.handle(.close))
    }

    /// Looks again at what the playback delegate says: call it after every pause, every start, and when the range of
    /// time changed. Of use for sources of a program's own pictures only.
    public func invalidatePlaybackState() {
        if let delegate = source?.sampleBufferPlaybackDelegate {
            let isProhibited = delegate.pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(self)
            // A delegate calls this in the middle of `setPlaying`.
            if isProhibited, isPictureInPictureSuspended, isPlaying, !isEnforcingSilence {
                isEnforcingSilence = true
                setPlaying(false)
                isEnforcingSilence = false
            }
        }
        tellFacts()
    }

    // MARK: who watches

    /// Calls `watcher` after every change of ``isPictureInPictureActive``, ``isPictureInPicturePossible``,
    /// ``isPictureInPictureSuspended``, ``isPictureInPictureStalled`` and ``canStopPictureInPicture``.
    @discardableResult
    public func watch(_ watcher: @escaping (PictureInPictureController) -> Void) -> UInt64 {
        defer { nextWatcher += 1 }
        watchers[nextWatcher] = watcher
        return nextWatcher
    }

    /// Ends the calls of a watcher.
    ///
    /// - Parameter number: What ``watch(_:)`` returned.
    public func removeWatcher(_ number: UInt64) { watchers[number] = nil }

    /// A property's value now and whenever it becomes another: `controller.values(of: \.isPictureInPictureActive)`. Of
    /// use for the four that ``watch(_:)`` tells of. Keeps the newest for a slow reader. Ends when the controller is
    /// gone, which it does not keep.
    public func values<Value: Equatable & Sendable>(of property: KeyPath<PictureInPictureController, Value>)
        -> AsyncStream<Value>
    {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        var last: Value?
        let look: (PictureInPictureController) -> Void = { controller in
            let value = controller[keyPath: property]
            guard value != last else { return }
            last = value
            continuation.yield(value)
        }
        let number = watch(look)
        streams.withLock { $0[number] = { continuation.finish() } }
        let relay = Relay(self)
        continuation.onTermination = { _ in
            DispatchQueue.main.async { MainActor.assumeIsolated { relay.controller?.endStream(number) } }
        }
        look(self)
        return stream
    }

    private func endStream(_ number: UInt64) {
        removeWatcher(number)
        streams.withLock { _ = $0.removeValue(forKey: number) }
    }

    private func changed() {
        automatic?.look()
        for watcher in watchers.values { watcher(self) }
    }
}
