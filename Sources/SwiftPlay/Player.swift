import Dispatch
import SystemCalls

/// A player of media items (AVPlayer). All methods may be called from any thread.
///
/// Properties that the player itself changes, such as ``timeControlStatus``, change a moment after the call that causes
/// it.
///
/// A player owns a thread ("player"), the threads of its item and its audio device. They end when ``close()`` returns,
/// or with the last reference. A ``PlayerLayer`` keeps a strong reference to its player.
///
/// `@unchecked Sendable`: the only stored property is a constant reference to a core that any thread may use. The class
/// is not open, and its subclass ``QueuePlayer`` stores nothing.
public class Player: @unchecked Sendable {
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

    package let core: PlayerCore

    /// Creates a player without an item (AVPlayer.init()).
    ///
    /// - Parameter configuration: Settings that do not change later.
    /// - Throws: ``PlaybackError`` with the code `resources` if the process has no threads, descriptors or memory left.
    public init(configuration: Configuration = Configuration()) throws(PlaybackError) {
        core = try PlayerCore.started(configuration)
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
        // A layer keeps its player, and the player's threads use the layer. If one of them releases the last
        // reference, it cannot join itself.
        guard NamedThread.isCallerNamed else { return core.close() }
        DispatchQueue.global().async { [core] in core.close() }
    }

    /// Creates a player whose action at an item's end is set before its thread runs.
    init(configuration: Configuration, actionAtItemEnd: ActionAtItemEnd) throws(PlaybackError) {
        core = try PlayerCore.started(configuration) { $0.settings.actionAtItemEnd = actionAtItemEnd }
    }

    /// Stops the player and releases its threads, files and devices. Returns after the threads have ended. Idempotent.
    ///
    /// A closed player has rate 0 and keeps its time. Its async sequences and its Picture-in-Picture end, and its items
    /// can be given to another player.
    public func close() { core.close() }

    /// Whether the player can play items (AVPlayer.status).
    public var status: Status {
        core.snapshot.withLock { $0.isClosed ? .failed : $0.hasHadItem ? .readyToPlay : .unknown }
    }

    /// The reason why ``status`` is `.failed`; nil otherwise.
    public var error: PlaybackError? {
        status == .failed ? PlaybackError(.playerClosed, "the player was closed; make a new one") : nil
    }

    // MARK: Item

    /// The item that is played or shown (AVPlayer.currentItem); nil if there is none.
    public var currentItem: PlayerItem? { core.snapshot.withLock { $0.item } }

    /// Replaces the current item (AVPlayer.replaceCurrentItem(with:)). The items that follow it in a queue stay.
    /// Replacing an item with itself has no effect.
    ///
    /// The former item can be given to another player after this method returns. If several items are set in quick
    /// succession, only the newest is opened.
    ///
    /// - Parameter item: The new item; nil for none. An item belongs to one player at most: if another player uses it,
    ///   the call has no effect, and ``Notification/itemRejected(_:_:)`` is posted with
    ///   ``PlaybackError/Code/itemInUse``.
    public func replaceCurrentItem(with item: PlayerItem?) { core.replaceCurrentItem(with: item) }

    /// The action at an item's end: `.pause` by default, `.advance` for a ``QueuePlayer``. A change from `.none` at the
    /// end of an item applies at once. Only a ``QueuePlayer`` accepts `.advance`; other players stop the program.
    public var actionAtItemEnd: ActionAtItemEnd {
        get { core.snapshot.withLock { $0.settings.actionAtItemEnd } }
        set {
            precondition(newValue != .advance || self is QueuePlayer, "only a QueuePlayer can advance")
            core.snapshot.withLock { $0.settings.actionAtItemEnd = newValue }
            core.post(.actionChanged)
        }
    }

    // MARK: Rate

    /// The requested rate (AVPlayer.rate): 0 is paused, 1 is normal speed. Positive values are clamped to 0.01…100;
    /// NaN, infinity and negative values become 0.
    ///
    /// While ``timeControlStatus`` is `.waitingToPlayAtSpecifiedRate`, the time does not advance.
    public var rate: Float {
        get { core.snapshot.withLock { $0.rate } }
        set { setRate(newValue, immediately: false) }
    }

    /// Starts playing with the media that is loaded, even if playback may stall soon
    /// (AVPlayer.playImmediately(atRate:)).
    ///
    /// - Parameter rate: See ``rate``.
    public func playImmediately(atRate rate: Float) { setRate(rate, immediately: true) }

    private func setRate(_ wanted: Float, immediately: Bool) {
        let rate = Self.bounded(wanted)
        let isTaken = core.snapshot.withLock { snapshot in
            guard !snapshot.isClosed else { return false }
            snapshot.rate = rate
            snapshot.startsImmediately = immediately
            return true
        }
        if isTaken { core.post(.setRate(rate)) }
    }

    /// Returns `rate` clamped to 0.01…100. NaN, infinity and negative values become 0.
    static func bounded(_ rate: Float) -> Float { rate.isFinite && rate > 0 ? min(max(rate, 0.01), 100) : 0 }

    /// Prepares playback at a rate, so that a later start begins at once. Useful while the player is paused and its
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
    /// - Returns: What the handler of ``preroll(atRate:completionHandler:)`` receives.
    @discardableResult
    public func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in preroll(atRate: rate) { continuation.resume(returning: $0) } }
    }

    /// Cancels a pending preroll (AVPlayer.cancelPendingPrerolls): its completion handler receives `false` before this
    /// method returns.
    public func cancelPendingPrerolls() { core.cancelPendingPrerolls() }

    /// The rate that ``play()`` sets (AVPlayer.defaultRate); 1 by default. Setting it does not start playback.
    public var defaultRate: Float {
        get { core.snapshot.withLock { $0.settings.defaultRate } }
        set { change { $0.settings.defaultRate = newValue } }
    }

    /// Starts playing at ``defaultRate`` (AVPlayer.play()).
    public func play() { rate = defaultRate }
    /// Pauses: sets ``rate`` to 0 (AVPlayer.pause()).
    public func pause() { rate = 0 }

    /// Whether the player plays, waits or is paused (AVPlayer.timeControlStatus).
    public var timeControlStatus: TimeControlStatus { core.snapshot.withLock { $0.published.status } }
    /// The reason for waiting (AVPlayer.reasonForWaitingToPlay); nil unless ``timeControlStatus`` is
    /// `.waitingToPlayAtSpecifiedRate`.
    public var reasonForWaitingToPlay: WaitingReason? { core.snapshot.withLock { $0.published.waitingReason } }

    /// Whether the player waits for enough media before it starts, and before it resumes after a stall; true by default
    /// (AVPlayer.automaticallyWaitsToMinimizeStalling). If false, playback starts at once, and the player pauses when
    /// no media is left.
    public var automaticallyWaitsToMinimizeStalling: Bool {
        get { core.snapshot.withLock { $0.settings.waitsToMinimizeStalling } }
        set { change { $0.settings.waitsToMinimizeStalling = newValue } }
    }

    /// The range that is repeated (mpv's A-B loop); nil for none. At its end, playback continues at its start.
    ///
    /// An end that is not numeric means the item's end. The range belongs to the player, not to the item.
    public var loopRange: MediaTimeRange? {
        get {
            core.snapshot.withLock { $0.settings.loop }.map { loop in
                MediaTimeRange(
                    start: MediaTime(nanoseconds: loop.start),
                    end: loop.end == .max ? .positiveInfinity : MediaTime(nanoseconds: loop.end))
            }
        }
        set {
            let loop = newValue.flatMap { range in
                range.start.nanoseconds.map { (start: max(0, $0), end: range.end.nanoseconds ?? .max) }
            }
            change { $0.settings.loop = loop.flatMap { $0.start < $0.end ? $0 : nil } }
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
    public var isSeeking: Bool { core.snapshot.withLock { $0.seekTarget != nil } }

    /// Pauses and shows another frame.
    ///
    /// - Parameter count: The number of frames to go forward, or backward if negative.
    public func step(byCount count: Int) { core.post(.step(count)) }

    // MARK: Picture

    /// Which pictures are deinterlaced; `.automatic` by default. Applies to pictures that are decoded from now on.
    public var deinterlacing: Deinterlacing {
        get { core.snapshot.withLock { $0.settings.deinterlacing } }
        set {
            core.snapshot.withLock { $0.settings.deinterlacing = newValue }
            core.post(.deinterlacingChanged)
        }
    }

    /// Whether the display stays on while video plays in an X11 window or in Picture-in-Picture; true by default
    /// (AVPlayer.preventsDisplaySleepDuringVideoPlayback).
    ///
    /// The player inhibits the screensaver of the X server (MIT-SCREEN-SAVER), and screensaver, lock screen and power
    /// saving of the desktop over the session bus (`org.freedesktop.ScreenSaver`, else the portal
    /// `org.freedesktop.portal.Inhibit`).
    public var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { core.snapshot.withLock { $0.settings.preventsDisplaySleep } }
        set { change { $0.settings.preventsDisplaySleep = newValue } }
    }

    // MARK: Audio

    /// The linear gain of this player's audio (AVPlayer.volume): clamped to 0…2, 1 is unchanged. NaN and infinity are
    /// ignored.
    public var volume: Float {
        get { core.snapshot.withLock { $0.settings.volume } }
        set {
            guard newValue.isFinite else { return }
            changeSound { $0.settings.volume = min(max(newValue, 0), 2) }
        }
    }

    /// Whether the audio is muted (AVPlayer.isMuted). ``volume`` keeps its value.
    public var isMuted: Bool {
        get { core.snapshot.withLock { $0.settings.isMuted } }
        set { changeSound { $0.settings.isMuted = newValue } }
    }

    private func changeSound(_ change: (inout PlayerSnapshot) -> Void) {
        core.snapshot.withLock { change(&$0) }
        core.post(.soundChanged)
    }

    private func change(_ change: (inout PlayerSnapshot) -> Void) {
        core.snapshot.withLock { change(&$0) }
        core.post(.settingChanged)
    }

    // MARK: Statistics

    /// The statistics of frames and audio devices since the player was created.
    public var statistics: PlaybackStatistics {
        var statistics = core.snapshot.withLock { snapshot in
            var statistics = snapshot.published.statistics
            statistics.handoffs = snapshot.handoffs
            return statistics
        }
        statistics.framesRepeated = core.currentLayer?.router.repeats ?? 0
        return statistics
    }

    package func record(_ handoff: PlaybackStatistics.Handoff) {
        core.snapshot.withLock { $0.handoffs.append(handoff) }
    }
}
