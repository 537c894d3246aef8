import CompositorProtocol
import Dispatch
import Glibc
import Logging
import SwiftPlay
import SystemCalls

/// A controller that moves a layer's picture into a floating window of another process and back
/// (AVPictureInPictureController). Main queue only.
///
/// The layer, its player, the clock and the audio do not change: only the frames are shown elsewhere. Releasing the
/// controller closes its window at once, without calling the delegate.
@MainActor
public final class PictureInPictureController {
    /// Returns whether there is a display for a window, or a terminal with a corner for the picture. Constant for the
    /// life of the process.
    nonisolated public static func isPictureInPictureSupported() -> Bool { hasDisplay || TerminalSurface.isSupported }

    nonisolated private static var hasDisplay: Bool { getenv("DISPLAY").map { $0.pointee != 0 } ?? false }

    /// The delegate (a weak reference).
    public weak var delegate: (any PictureInPictureControllerDelegate)?

    /// Whether the window shows the picture: true from just before `didStart` until `didStop`.
    public internal(set) var isPictureInPictureActive = false {
        didSet { if oldValue != isPictureInPictureActive { changed() } }
    }
    /// Whether a start would not fail at once (AVPictureInPictureController.isPictureInPicturePossible): the compositor
    /// runs, the category of the ``/SwiftPlay/AudioSession`` is `playback` or `playAndRecord`, and the content source
    /// has a picture, playing or paused. Stays true while the floating window is open.
    public internal(set) var isPictureInPicturePossible = false {
        didSet { if oldValue != isPictureInPicturePossible { changed() } }
    }
    /// Whether ``stopPictureInPicture()`` would have an effect: the window is open and no stop is under way.
    public internal(set) var canStopPictureInPicture = false {
        didSet { if oldValue != canStopPictureInPicture { changed() } }
    }
    /// Whether a video call keeps the window off the screen (`swiftplay system video-call on`). Playback is paused
    /// meanwhile. After the call, the window and playback return automatically.
    public internal(set) var isPictureInPictureSuspended = false {
        didSet { if oldValue != isPictureInPictureSuspended { changed() } }
    }
    /// Whether the compositor does not answer. Meanwhile the floating window stands still and the layer shows the
    /// picture.
    public internal(set) var isPictureInPictureStalled = false {
        didSet { if oldValue != isPictureInPictureStalled { changed() } }
    }
    /// Whether a video call keeps floating windows off the screen.
    var isPlaceTaken = false
    var pausedBySuspension = false
    /// The reason why the last Picture-in-Picture ended; nil before the first end.
    public internal(set) var stopReason: PictureInPictureStopReason?
    /// The reason why Picture-in-Picture is not available; nil while the compositor serves this process.
    public internal(set) var unavailableReason: String?

    /// Whether the user can neither skip nor seek in the window; false by default. The program still can. May change at
    /// any time.
    public var requiresLinearPlayback = false { didSet { if oldValue != requiresLinearPlayback { tellLinear() } } }

    /// Whether Picture-in-Picture may start automatically when a playing video that is not in full screen goes out of
    /// sight (its window is minimized, covered or on another workspace); false by default. It then ends when the video
    /// is visible again. Set it only for the program's main content. From full screen it may always start
    /// automatically. The user can switch automatic starts off for all programs.
    public var canStartPictureInPictureAutomaticallyFromInline = false { didSet { automatic?.look() } }

    /// Whether Picture-in-Picture may start automatically when the layer goes out of sight.
    var mayStartAutomatically: Bool {
        let isPlaceRight = canStartPictureInPictureAutomaticallyFromInline || playerLayer?.isFullScreen == true
        let isPermitted = prohibition == nil && Self.sessionPermits
        return isPlaceRight && isPermitted && isAvailable && CompositorLink.shared.startsAutomatically
    }

    /// The reason why the owner of this controller forbids Picture-in-Picture; nil if it permits it.
    var prohibition: String? { didSet { if oldValue != prohibition { reconsider() } } }

    /// Whether the category of the audio session permits Picture-in-Picture. As on Apple's systems it must be
    /// `playback` or `playAndRecord`.
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
    /// The source whose picture the window shows. The content source may be replaced before the window closes.
    var windowSource: ContentSource?
    /// Whether the compositor accepts the pictures of this process.
    var isAvailable = false
    var requestedAt: Int64 = 0
    /// The actions that are still to be performed, and whether they are being performed.
    var pending: [PictureInPictureMachine.Action] = []
    var isPerforming = false
    /// Whether the pending actions wait for the layer to show the picture.
    var isReturning = false
    var facts: (any DispatchSourceTimer)?
    /// The registration at the player while the window is open.
    var playbackObservation: Player.Observation?
    /// Whether the window is flying back, which is also a stop.
    var isLanding = false
    /// The size of the picture in the window, as the compositor reported it last.
    var renderSize: VideoSize?
    /// The state of skips. A dragged slider requests more of them than a program can perform, so one is performed at a
    /// time.
    var skipping = Skipping()
    /// Whether the playback delegate is being paused because its window is off the screen.
    private var isEnforcingSilence = false
    /// The item that failed while the window was open, kept for a moment.
    var failedItem: PlayerItem?
    private var watchers: [UInt64: (PictureInPictureController) -> Void] = [:]
    private var nextWatcher: UInt64 = 0
    private let streams = Monitor<[UInt64: @Sendable () -> Void]>([:])
    let logger = Logger(label: "pip")

    /// Creates a controller for a player's layer; nil if Picture-in-Picture is not supported.
    ///
    /// - Parameter playerLayer: The layer.
    public convenience init?(playerLayer: PlayerLayer) {
        guard Self.isPictureInPictureSupported() else { return nil }
        self.init(contentSource: ContentSource(playerLayer: playerLayer))
    }

    /// Creates a controller for a content source. Its window opens on the display, or else in a corner of the terminal
    /// of the layer's ``PlayerWindow``. If Picture-in-Picture is not supported, it is never possible.
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

    /// A weak reference to the controller for closures.
    @MainActor final class Relay: Sendable {
        weak var controller: PictureInPictureController?
        init(_ controller: PictureInPictureController) { self.controller = controller }
    }

    // MARK: Requests of the program

    /// The source of the pictures. If it is replaced while the window is open, the window continues with the picture of
    /// the new source, without calls of the delegate. A source without a picture, or nil, ends Picture-in-Picture.
    public var contentSource: ContentSource? {
        get { source }
        set { replaceSource(with: newValue) }
    }

    /// The layer of the content source; nil if that is not a player's layer.
    public var playerLayer: PlayerLayer? { source?.playerLayer }

    /// Starts Picture-in-Picture. The delegate is called after this method has returned. Does nothing while a window is
    /// opening or open.
    public func startPictureInPicture() {
        requestedAt = MonotonicTime.now
        schedule(machine.handle(.start(obstacle: obstacle)))
    }

    /// Starts Picture-in-Picture now or as soon as it is possible: for a program that starts in Picture-in-Picture.
    /// ``stopPictureInPicture()`` cancels a pending start.
    public func startPictureInPictureWhenPossible() {
        requestedAt = MonotonicTime.now
        schedule(machine.handle(.startWhenPossible(isPossible: obstacle == nil)))
    }

    /// Stops Picture-in-Picture as the restore button does: asks the delegate to restore the interface, then closes the
    /// window. Does nothing without a window. A window that is still opening is closed afterwards, without a restore.
    public func stopPictureInPicture() {
        requestedAt = MonotonicTime.now
        schedule(machine.handle(.stop))
    }

    /// Stops Picture-in-Picture as the close button does: closes the window without a restore, and pauses.
    public func closePictureInPicture() {
        requestedAt = MonotonicTime.now
        schedule(machine.handle(.close))
    }

    /// Reads the state from the playback delegate again. Call it after every pause and start, and when the range
    /// changed. Has an effect for sources of pictures of the program's own only.
    public func invalidatePlaybackState() {
        if let delegate = source?.sampleBufferPlaybackDelegate {
            let isProhibited = delegate.pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(self)
            // A delegate calls this method from within `setPlaying`.
            if isProhibited, isPictureInPictureSuspended, isPlaying, !isEnforcingSilence {
                isEnforcingSilence = true
                setPlaying(false)
                isEnforcingSilence = false
            }
        }
        tellFacts()
    }

    // MARK: Observation

    /// Observes ``isPictureInPictureActive``, ``isPictureInPicturePossible``, ``isPictureInPictureSuspended``,
    /// ``isPictureInPictureStalled`` and ``canStopPictureInPicture``.
    ///
    /// - Parameter watcher: Called after every change, on the main queue.
    /// - Returns: A number for ``removeWatcher(_:)``.
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

    /// Returns the values of a property: the current value, and each new one when it changes. Use it for the properties
    /// that ``watch(_:)`` observes.
    ///
    /// The sequence keeps only the newest value for a slow reader. It ends when the controller is released, which it
    /// does not keep.
    ///
    /// - Parameter property: The key path of the property.
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
