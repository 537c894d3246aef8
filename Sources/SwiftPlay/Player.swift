import AudioOutput
import Dispatch
import Glibc
import MediaPipeline
import SharedFrames
import SystemCalls

/// Plays an item (AVPlayer). Everything is safe to call from any thread; changes made by the player itself are seen a moment later.
///
/// A player owns a thread ("player"), its item's threads and its sound device; they are gone when ``close()`` returns, or with the last
/// reference.
public final class Player: Sendable {
    public enum TimeControlStatus: Int, Sendable {
        case paused, waitingToPlayAtSpecifiedRate, playing
    }

    public enum WaitingReason: Sendable {
        case toMinimizeStalls, evaluatingBufferingRate, noItemToPlay
    }

    public enum ActionAtItemEnd: Sendable {
        /// Stop there, rate 0.
        case pause
        /// Change nothing: whoever watches does what is next.
        case none
    }

    /// Which device the sound goes to.
    public enum AudioOutput: Sendable, Equatable {
        /// ALSA, by the name of a PCM: `default`, `hw:0`, `pulse`.
        case alsa(device: String)
        /// Consumed at its own pace and not heard.
        case null
        /// Not decoded at all.
        case none
    }

    /// What is settled when a player is made.
    public struct Configuration: Sendable {
        public var audioOutput = AudioOutput.alsa(device: "default")
        public var playsVideo = true
        /// FFmpeg's threads below the video decoder.
        public var decoderThreads = max(1, min(8, Player.processorCount))
        /// Frames are shown as fast as they are decoded, and sound is left out.
        public var isUntimed = false
        package var openPolicy = OpenPolicy()
        /// Sees every frame before it is shown, on the player's thread; each says what was decoded for it.
        package var frameTap: (@Sendable (VideoFrame) -> Void)?
        /// Sees all sound as it was decoded, on the thread that decodes it.
        package var soundTap: (@Sendable (SoundChecksum) -> Void)?
        public init() {}
    }

    package let core: PlayerCore

    /// - Throws: when there are no threads or descriptors left.
    public init(configuration: Configuration = Configuration()) throws {
        core = try PlayerCore(configuration: configuration)
        try core.start()
    }

    /// Plays `item` as soon as it is told to.
    public convenience init(playerItem item: PlayerItem?) throws {
        try self.init()
        replaceCurrentItem(with: item)
    }

    deinit { core.close() }

    /// Stops for good and gives everything back. Returns when the threads are gone. Idempotent.
    public func close() { core.close() }

    static var processorCount: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    // MARK: item

    public var currentItem: PlayerItem? { core.snapshot.withLock { $0.item } }

    /// Puts another item in place; the same one changes nothing. An item belongs to one player at most.
    public func replaceCurrentItem(with item: PlayerItem?) {
        guard item !== currentItem else { return }
        if let item { precondition(item.claim(by: ObjectIdentifier(core)), "a PlayerItem belongs to one player at most") }
        core.snapshot.withLock { snapshot in
            snapshot.item = item
            snapshot.clock = PlaybackClock()
            snapshot.isAtEnd = false
        }
        core.post(.setItem(item))
    }

    public var actionAtItemEnd: ActionAtItemEnd {
        get { core.snapshot.withLock { $0.actionAtItemEnd } }
        set { core.snapshot.withLock { $0.actionAtItemEnd = newValue } }
    }

    // MARK: rate

    /// The requested rate: 0 = paused, 1 = as recorded; 0.01 to 100.
    public var rate: Float {
        get { core.snapshot.withLock { $0.rate } }
        set {
            let rate: Float = newValue.isFinite && newValue > 0 ? min(max(newValue, 0.01), 100) : 0
            core.snapshot.withLock { $0.rate = rate }
            core.post(.setRate(rate))
        }
    }

    /// The rate that ``play()`` asks for. Setting it starts nothing.
    public var defaultRate: Float {
        get { core.snapshot.withLock { $0.defaultRate } }
        set { core.snapshot.withLock { $0.defaultRate = newValue } }
    }

    public func play() { rate = defaultRate }
    public func pause() { rate = 0 }

    public var timeControlStatus: TimeControlStatus { core.snapshot.withLock { $0.status } }
    public var reasonForWaitingToPlay: WaitingReason? { core.snapshot.withLock { $0.waitingReason } }

    // MARK: time

    /// The moment of the item that is now; the target while a seek runs.
    public func currentTime() -> MediaTime {
        MediaTime(nanoseconds: core.snapshot.withLock { snapshot in
            snapshot.seekTarget ?? snapshot.clock.time(at: MonotonicTime.now)
        })
    }

    /// Goes to the frame that is seen at `time`.
    ///
    /// - Parameter completionHandler: called once, on the player's thread: `true` when the frame is on screen, `false` when another seek
    ///   came in between, nothing can be sought in, or `time` lies outside the item (its position stays as it was).
    public func seek(to time: MediaTime, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
    }

    /// As ``seek(to:completionHandler:)``; with a tolerance before, the keyframe at or before `time` will do, which is faster.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        guard let item = currentItem, let target = time.nanoseconds, target >= 0, item.status != .failed else { return completionHandler(false) }
        if let end = item.duration.nanoseconds, target > end { return completionHandler(false) }
        if item.status == .readyToPlay, !item.isSeekable { return completionHandler(false) }
        let precision: SeekRequest.Precision = toleranceBefore > .zero ? .keyframe : .exact
        core.snapshot.withLock { snapshot in
            snapshot.seekTarget = target
            snapshot.seeksAhead += 1
        }
        core.post(.seek(PlayerCore.SeekCommand(time: target, precision: precision, completion: completionHandler)))
    }

    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await withCheckedContinuation { continuation in seek(to: time) { continuation.resume(returning: $0) } }
    }

    /// A seek is on its way.
    public var isSeeking: Bool { core.snapshot.withLock { $0.seekTarget != nil } }

    /// Shows the frame that is `count` further on (negative: back) and stands still.
    public func step(byCount count: Int) { core.post(.step(count)) }

    // MARK: picture

    /// Which pictures are deinterlaced: into one picture of each field, so at twice the rate.
    public enum Deinterlacing: Sendable, CaseIterable {
        /// Those that the stream flags as interlaced.
        case automatic
        /// All, whatever the stream says.
        case always
        case never
    }

    /// Holds for what is decoded from now on, and for items to come.
    public var deinterlacing: Deinterlacing {
        get { core.snapshot.withLock { $0.deinterlacing } }
        set {
            core.snapshot.withLock { $0.deinterlacing = newValue }
            core.post(.deinterlacingChanged)
        }
    }

    // MARK: sound

    /// Of this player alone, as a factor on the amplitude: 0...1 (up to 2 is louder than recorded).
    public var volume: Float {
        get { core.snapshot.withLock { $0.volume } }
        set { changeSound { $0.volume = newValue.isFinite ? min(max(newValue, 0), 2) : 1 } }
    }

    public var isMuted: Bool {
        get { core.snapshot.withLock { $0.isMuted } }
        set { changeSound { $0.isMuted = newValue } }
    }

    private func changeSound(_ change: (inout PlayerCore.Snapshot) -> Void) {
        core.snapshot.withLock { change(&$0) }
        core.post(.soundChanged)
    }

    // MARK: figures

    public var statistics: PlaybackStatistics {
        var statistics = core.snapshot.withLock { $0.statistics }
        statistics.framesRepeated = core.currentLayer?.router.repeats ?? 0
        return statistics
    }

    package func record(_ handoff: PlaybackStatistics.Handoff) {
        core.snapshot.withLock { $0.statistics.handoffs.append(handoff) }
    }
}
