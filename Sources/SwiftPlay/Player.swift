import Dispatch
import SystemCalls

/// Plays an item (AVPlayer). Everything is safe to call from any thread; changes made by the player itself are seen a
/// moment later.
///
/// A player owns a thread ("player"), its item's threads and its sound device; they are gone when ``close()`` returns,
/// or with the last reference. A ``PlayerLayer`` keeps its player.
///
/// `@unchecked Sendable`: it is one reference that never changes to a core that any thread may use; not open, and its
/// one subclass, ``QueuePlayer``, stores nothing.
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

    /// - Throws: ``PlaybackError/Code/resources`` when there are no threads, descriptors or memory left.
    public init(configuration: Configuration = Configuration()) throws(PlaybackError) {
        core = try PlayerCore.started(configuration)
    }

    /// Plays `item` as soon as it is told to.
    ///
    /// - Throws: ``PlaybackError/Code/resources`` when there are no threads, descriptors or memory left.
    public convenience init(playerItem item: PlayerItem?) throws(PlaybackError) {
        try self.init()
        replaceCurrentItem(with: item)
    }

    deinit {
        // A layer keeps its player, and the player's threads use the layer: the last reference may go on one of them,
        // which cannot join itself.
        guard NamedThread.isCallerNamed else { return core.close() }
        DispatchQueue.global().async { [core] in core.close() }
    }

    /// The item that a player is made with is there before anybody else knows the player.
    init(configuration: Configuration, actionAtItemEnd: ActionAtItemEnd) throws(PlaybackError) {
        core = try PlayerCore.started(configuration) { $0.settings.actionAtItemEnd = actionAtItemEnd }
    }

    /// Stops for good and gives everything back. Returns when the threads are gone. Idempotent. A closed player is
    /// paused at rate 0, its time stands, its async sequences end, its Picture-in-Picture ends, and its items may go to
    /// another player.
    public func close() { core.close() }

    /// Whether the player can play items (AVPlayer.status).
    public var status: Status {
        core.snapshot.withLock { $0.isClosed ? .failed : $0.hasHadItem ? .readyToPlay : .unknown }
    }

    /// The reason why ``status`` is `.failed`; nil otherwise.
    public var error: PlaybackError? {
        status == .failed ? PlaybackError(.playerClosed, "the player was closed; make a new one") : nil
    }

    // MARK: item

    /// The item that is played or shown; nil if there is none.
    public var currentItem: PlayerItem? { core.snapshot.withLock { $0.item } }

    /// Puts another item in place; the same one changes nothing. What comes after it in a queue stays. The former item
    /// may be given to another player as soon as this returns. Of several items in quick succession only the newest is
    /// opened.
    ///
    /// An item belongs to one player at most. If `item` is in use by another player, nothing changes, and
    /// ``Notification/itemRejected(_:_:)`` is reported with ``PlaybackError/Code/itemInUse``.
    public func replaceCurrentItem(with item: PlayerItem?) { core.replaceCurrentItem(with: item) }

    /// What becomes of playing at an item's end: `.pause` at first, `.advance` for a ``QueuePlayer``. Going from
    /// `.none` to another at the end applies that one at once.
    public var actionAtItemEnd: ActionAtItemEnd {
        get { core.snapshot.withLock { $0.settings.actionAtItemEnd } }
        set {
            precondition(newValue != .advance || self is QueuePlayer, "only a QueuePlayer can advance")
            core.snapshot.withLock { $0.settings.actionAtItemEnd = newValue }
            core.post(.actionChanged)
        }
    }

    // MARK: rate

    /// The requested rate: 0 = paused, 1 = as recorded; 0.01 to 100. While ``timeControlStatus`` says waiting, the time
    /// stands all the same.
    public var rate: Float {
        get { core.snapshot.withLock { $0.rate } }
        set { setRate(newValue, immediately: false) }
    }

    /// Plays at `rate` with what is there, whether or not it is enough to go on for long.
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

    /// One that can be played at; 0 for what is none.
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

    /// The one that is not over yet is over with `false` when this returns.
    public func cancelPendingPrerolls() { core.cancelPendingPrerolls() }

    /// The rate that ``play()`` asks for. Setting it starts nothing.
    public var defaultRate: Float {
        get { core.snapshot.withLock { $0.settings.defaultRate } }
        set { change { $0.settings.defaultRate = newValue } }
    }

    /// Starts playing at ``defaultRate``.
    public func play() { rate = defaultRate }
    /// Pauses: sets ``rate`` to 0.
    public func pause() { rate = 0 }

    /// Whether the player plays, waits or is paused.
    public var timeControlStatus: TimeControlStatus { core.snapshot.withLock { $0.published.status } }
    /// Not nil only while ``timeControlStatus`` says waiting.
    public var reasonForWaitingToPlay: WaitingReason? { core.snapshot.withLock { $0.published.waitingReason } }

    /// Whether playing begins, and after a stall goes on, only when there is enough for a while. False: at once; and
    /// where nothing is left to play, the player pauses.
    public var automaticallyWaitsToMinimizeStalling: Bool {
        get { core.snapshot.withLock { $0.settings.waitsToMinimizeStalling } }
        set { change { $0.settings.waitsToMinimizeStalling = newValue } }
    }

    /// Plays this stretch of the item over and over (mpv's A-B loop): where its end is reached, playing goes on at its
    /// start. An end that is not numeric is the item's. nil: no loop. Belongs to the player and not to the item.
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

    // MARK: time

    /// The moment of the item that is now; the target while a seek runs.
    public func currentTime() -> MediaTime { core.currentTime }

    /// The user waits for media: there is nothing to play although playing is asked for, or the picture of a seek has
    /// not come yet.
    package var isBuffering: Bool {
        core.snapshot.withLock { snapshot in
            guard snapshot.item != nil else { return false }
            return snapshot.seekTarget != nil || snapshot.published.status == .waitingToPlayAtSpecifiedRate
        }
    }

    /// A seek is on its way.
    public var isSeeking: Bool { core.snapshot.withLock { $0.seekTarget != nil } }

    /// Shows the frame that is `count` further on (negative: back) and stands still.
    public func step(byCount count: Int) { core.post(.step(count)) }

    // MARK: picture

    /// Holds for what is decoded from now on, and for items to come.
    public var deinterlacing: Deinterlacing {
        get { core.snapshot.withLock { $0.settings.deinterlacing } }
        set {
            core.snapshot.withLock { $0.settings.deinterlacing = newValue }
            core.post(.deinterlacingChanged)
        }
    }

    /// While video plays in a window under X11, or has gone from it to the floating window, the screensaver, the lock
    /// screen and power saving are held back: the server's (MIT-SCREEN-SAVER), and the desktop's over the session bus
    /// (`org.freedesktop.ScreenSaver`, else the portal `org.freedesktop.portal.Inhibit`). True at first.
    public var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { core.snapshot.withLock { $0.settings.preventsDisplaySleep } }
        set { change { $0.settings.preventsDisplaySleep = newValue } }
    }

    // MARK: sound

    /// A factor on this player's amplitude: 0...1, up to 2 is louder than recorded. NaN and infinity are ignored.
    public var volume: Float {
        get { core.snapshot.withLock { $0.settings.volume } }
        set {
            guard newValue.isFinite else { return }
            changeSound { $0.settings.volume = min(max(newValue, 0), 2) }
        }
    }

    /// Whether the audio is silent. ``volume`` keeps its value.
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

    // MARK: figures

    /// The statistics of frames and devices so far.
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
