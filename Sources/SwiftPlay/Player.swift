import Dispatch
import Observation
import SystemCalls

/// A player of media items (AVPlayer). All methods may be called from any thread.
///
/// Properties that the player itself changes, such as ``timeControlStatus``, change a moment after the call that causes
/// it. The class is `Observable`: `withObservationTracking` reports changes of every property but ``subtitleText`` and
/// ``statistics``; ``values(of:)`` and ``observe(_:)`` are the other ways to observe a player.
///
/// A player owns a thread ("player"), the threads of its item and its audio device. These threads end before
/// ``close()`` returns, or after the last reference to the player is released. A ``PlayerLayer`` keeps a strong
/// reference to its player.
public class Player: @unchecked Sendable, Observable {
    // @unchecked Sendable: the stored properties are constant references to objects that any thread may use. The class
    // is not open, and its subclass QueuePlayer stores nothing.

    /// See ``PlayerConfiguration``.
    public typealias Configuration = PlayerConfiguration
    /// See ``PlayerConfiguration/AudioOutput-swift.enum``.
    public typealias AudioOutput = PlayerConfiguration.AudioOutput
    /// See ``PlayerConfiguration/GaplessAudio-swift.enum``.
    public typealias GaplessAudio = PlayerConfiguration.GaplessAudio
    /// See ``PlayerConfiguration/AudioChannels-swift.struct``.
    public typealias AudioChannels = PlayerConfiguration.AudioChannels
    /// See ``PlayerStatus``.
    public typealias Status = PlayerStatus
    /// See ``PlayerTimeControlStatus``.
    public typealias TimeControlStatus = PlayerTimeControlStatus
    /// See ``PlayerWaitingReason``.
    public typealias WaitingReason = PlayerWaitingReason
    /// See ``PlayerActionAtItemEnd``.
    public typealias ActionAtItemEnd = PlayerActionAtItemEnd
    /// See ``PlayerDeinterlacing``.
    public typealias Deinterlacing = PlayerDeinterlacing

    /// The internal implementation of the player: its state, its thread and its media pipeline.
    package let core: PlayerCore
    /// Notifies `withObservationTracking` when properties of this player change.
    let changes = PlayerChanges()

    /// Creates a player without an item (AVPlayer.init()).
    ///
    /// - Parameter configuration: Settings that do not change later.
    /// - Throws: ``PlaybackError`` with the code `resources` if the process has no threads, descriptors or memory left.
    public init(configuration: Configuration = Configuration()) throws(PlaybackError) {
        core = try PlayerCore.started(configuration)
        changes.observeEvents(of: self)
    }

    /// Creates a player for an item (AVPlayer.init(playerItem:)).
    ///
    /// - Parameter item: The current item; nil for none.
    /// - Throws: ``PlaybackError`` with the code `resources` if the process has no threads, descriptors or memory left.
    public convenience init(playerItem item: PlayerItem?) throws(PlaybackError) {
        try self.init()
        replaceCurrentItem(with: item)
    }

    deinit {
        // A thread of the player may release the last reference to the player, because it uses the layer, which retains
        // the player. That thread cannot join itself, so another thread closes the player.
        guard NamedThread.isCurrentThreadNamed else { return core.close() }
        DispatchQueue.global().async { [core] in core.close() }
    }

    /// Creates a player whose action at an item's end is set before its thread runs.
    init(configuration: Configuration, actionAtItemEnd: ActionAtItemEnd) throws(PlaybackError) {
        core = try PlayerCore.started(configuration) { $0.settings.actionAtItemEnd = actionAtItemEnd }
        changes.observeEvents(of: self)
    }

    /// Stops the player and releases its threads, files and devices. Returns after the threads have ended. Later calls
    /// have no effect. A closed player has rate 0 and keeps its time. Its async sequences and its Picture-in-Picture
    /// end, and its items can be given to another player.
    public func close() { core.close() }

    /// Whether the player can play items (AVPlayer.status).
    public var status: Status {
        observed(\.status).withLock { $0.isClosed ? .failed : $0.hasHadItem ? .readyToPlay : .unknown }
    }

    /// The reason why ``status`` is `.failed`; nil otherwise.
    public var error: PlaybackError? {
        status == .failed ? PlaybackError(.playerClosed, "the player was closed; create a new one") : nil
    }

    // MARK: Item

    /// The item that is played or shown (AVPlayer.currentItem); nil if there is none.
    public var currentItem: PlayerItem? { observed(\.currentItem).withLock { $0.item } }

    /// Replaces the current item (AVPlayer.replaceCurrentItem(with:)). The items that follow it in a queue stay.
    /// Replacing an item with itself has no effect.
    ///
    /// The former item can be given to another player after this method returns. If several items are set in quick
    /// succession, only the newest is opened.
    ///
    /// - Parameter item: The new item; nil for none. An item belongs to one player at most: if another player uses it,
    ///   the call has no effect, and ``Notification/itemRejected(_:_:)`` is posted with
    ///   ``PlaybackError/Code/itemInUse``.
    public func replaceCurrentItem(with item: PlayerItem?) {
        changes.perform(self) { core.replaceCurrentItem(with: item) }
    }

    /// The action at an item's end: `.pause` by default, `.advance` for a ``QueuePlayer``. A change from `.none` at the
    /// end of an item applies at once. Only a ``QueuePlayer`` accepts `.advance`; with other players a precondition
    /// fails.
    public var actionAtItemEnd: ActionAtItemEnd {
        get { observed(\.actionAtItemEnd).withLock { $0.settings.actionAtItemEnd } }
        set {
            precondition(newValue != .advance || self is QueuePlayer, "only a QueuePlayer can advance")
            change(.actionAtItemEndChanged) { $0.settings.actionAtItemEnd = newValue }
        }
    }

    // MARK: Rate

    /// The requested rate (AVPlayer.rate): 0 is paused, 1 is normal speed. Positive values are clamped to 0.01…100;
    /// NaN, infinity and negative values become 0.
    ///
    /// While ``timeControlStatus`` is `.waitingToPlayAtSpecifiedRate`, the time does not advance.
    public var rate: Float {
        get { observed(\.rate).withLock { $0.rate } }
        set { setRate(newValue, immediately: false) }
    }

    /// Starts playing with the media that is loaded, even if playback may stall soon
    /// (AVPlayer.playImmediately(atRate:)).
    ///
    /// - Parameter rate: See ``rate``.
    public func playImmediately(atRate rate: Float) { setRate(rate, immediately: true) }

    /// Sets the requested rate and whether playback starts without waiting for more media.
    private func setRate(_ requestedRate: Float, immediately: Bool) {
        let rate = Self.bounded(requestedRate)
        changes.perform(self) {
            let isAccepted = core.snapshot.withLock { snapshot in
                guard !snapshot.isClosed else { return false }
                snapshot.rate = rate
                snapshot.startsImmediately = immediately
                return true
            }
            if isAccepted { core.post(.setRate(rate)) }
        }
    }

    /// Returns `rate` clamped to 0.01…100. NaN, infinity and negative values become 0.
    static func bounded(_ rate: Float) -> Float { rate.isFinite && rate > 0 ? min(max(rate, 0.01), 100) : 0 }

    /// Prepares playback at a rate, so that a later start begins at once. Use it while the player is paused and its
    /// item is ready (AVPlayer.preroll).
    ///
    /// - Parameters:
    ///   - rate: The rate, limited to 0.01 to 100.
    ///   - completionHandler: Called once, on a thread of the player or of the caller. Receives `true` when playback is
    ///     prepared; `false` if no item is ready, if the player plays, or if a seek, another rate or item, or
    ///     ``cancelPendingPrerolls()`` cancels the preparation.
    public func preroll(atRate rate: Float, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        guard rate.isFinite, rate > 0, currentItem?.status == .readyToPlay else { return completionHandler(false) }
        core.preroll(atRate: min(max(rate, 0.01), 100), completionHandler)
    }

    /// Prepares playback at a rate.
    ///
    /// - Parameter rate: The rate, limited to 0.01 to 100.
    /// - Returns: The value that the handler of ``preroll(atRate:completionHandler:)`` receives.
    @discardableResult
    public func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in preroll(atRate: rate) { continuation.resume(returning: $0) } }
    }

    /// Cancels a pending preroll (AVPlayer.cancelPendingPrerolls): its completion handler receives `false` before this
    /// method returns.
    public func cancelPendingPrerolls() { core.cancelPendingPrerolls() }

    /// The rate that ``play()`` sets (AVPlayer.defaultRate); 1 by default. Setting it does not start playback.
    public var defaultRate: Float {
        get { observed(\.defaultRate).withLock { $0.settings.defaultRate } }
        set { change { $0.settings.defaultRate = newValue } }
    }

    /// Starts playing at ``defaultRate`` (AVPlayer.play()).
    public func play() { rate = defaultRate }
    /// Pauses: sets ``rate`` to 0 (AVPlayer.pause()).
    public func pause() { rate = 0 }

    /// Whether the player plays, waits or is paused (AVPlayer.timeControlStatus).
    public var timeControlStatus: TimeControlStatus { observed(\.timeControlStatus).withLock { $0.published.status } }
    /// The reason for waiting (AVPlayer.reasonForWaitingToPlay); nil unless ``timeControlStatus`` is
    /// `.waitingToPlayAtSpecifiedRate`.
    public var reasonForWaitingToPlay: WaitingReason? {
        observed(\.reasonForWaitingToPlay).withLock { $0.published.waitingReason }
    }

    /// Whether the player waits for enough media before it starts, and before it resumes after a stall; true by default
    /// (AVPlayer.automaticallyWaitsToMinimizeStalling). If false, playback starts at once, and the player pauses when
    /// no media is left.
    public var automaticallyWaitsToMinimizeStalling: Bool {
        get { observed(\.automaticallyWaitsToMinimizeStalling).withLock { $0.settings.waitsToMinimizeStalling } }
        set { change { $0.settings.waitsToMinimizeStalling = newValue } }
    }

    /// The range that is repeated (mpv's A-B loop); nil for none. At its end, playback continues at its start.
    ///
    /// An end that is not numeric means the item's end. The range belongs to the player, not to the item.
    public var loopRange: MediaTimeRange? {
        get {
            observed(\.loopRange).withLock { $0.settings.loop }.map { loop in
                MediaTimeRange(
                    start: MediaTime(nanoseconds: loop.start),
                    end: loop.end == .max ? .positiveInfinity : MediaTime(nanoseconds: loop.end))
            }
        }
        set {
            let newLoop = newValue.flatMap { range in
                range.start.nanoseconds.map { (start: max(0, $0), end: range.end.nanoseconds ?? .max) }
            }
            change { $0.settings.loop = newLoop.flatMap { $0.start < $0.end ? $0 : nil } }
        }
    }

    // MARK: Time

    /// Returns the current time on the item's timeline (AVPlayer.currentTime()), or the target while a seek is under
    /// way.
    public func currentTime() -> MediaTime { core.currentTime }

    /// Whether the user waits for media: playback was requested and too little media is loaded, or a seek is under way.
    package var isBuffering: Bool {
        core.snapshot.withLock { snapshot in
            guard snapshot.item != nil else { return false }
            return snapshot.seekTarget != nil || snapshot.published.status == .waitingToPlayAtSpecifiedRate
        }
    }

    /// Whether a seek is under way.
    public var isSeeking: Bool { observed(\.isSeeking).withLock { $0.seekTarget != nil } }

    /// Whether the current item has been played to its end, since the last seek.
    package var isAtEnd: Bool { core.snapshot.withLock { $0.published.isAtEnd } }

    /// Pauses and shows a later or earlier frame.
    ///
    /// - Parameter count: The number of frames to go forward, or backward if negative.
    public func step(byCount count: Int) { core.post(.step(count)) }

    // MARK: Picture

    /// The rule that selects the pictures to deinterlace; `.automatic` by default. Applies to pictures that are decoded
    /// from now on.
    public var deinterlacing: Deinterlacing {
        get { observed(\.deinterlacing).withLock { $0.settings.deinterlacing } }
        set { change(.deinterlacingChanged) { $0.settings.deinterlacing = newValue } }
    }

    /// Whether the screen stays on while video plays in an X11 window or in Picture-in-Picture; true by default
    /// (AVPlayer.preventsDisplaySleepDuringVideoPlayback).
    ///
    /// The player inhibits the screensaver of the X server (MIT-SCREEN-SAVER), and screensaver, lock screen and power
    /// saving of the desktop over the session bus (`org.freedesktop.ScreenSaver`, else the portal
    /// `org.freedesktop.portal.Inhibit`).
    public var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { observed(\.preventsDisplaySleepDuringVideoPlayback).withLock { $0.settings.preventsDisplaySleep } }
        set { change { $0.settings.preventsDisplaySleep = newValue } }
    }

    // MARK: Audio

    /// The linear gain of this player's audio (AVPlayer.volume): clamped to 0…1000, 1 is unchanged. NaN and infinity
    /// are ignored.
    public var volume: Float {
        get { observed(\.volume).withLock { $0.settings.volume } }
        set {
            guard newValue.isFinite else { return }
            change(.volumeChanged) { $0.settings.volume = min(max(newValue, 0), 1000) }
        }
    }

    /// Whether the audio is muted (AVPlayer.isMuted). ``volume`` keeps its value.
    public var isMuted: Bool {
        get { observed(\.isMuted).withLock { $0.settings.isMuted } }
        set { change(.volumeChanged) { $0.settings.isMuted = newValue } }
    }

    /// Changes the player's state, notifies the trackers of the Observation module, and sends `command` to the player's
    /// thread, which applies the change.
    func change(_ command: PlayerCore.Command = .settingChanged, _ change: (inout PlayerSnapshot) -> Void) {
        changes.perform(self) {
            core.snapshot.withLock { change(&$0) }
            core.post(command)
        }
    }
}
