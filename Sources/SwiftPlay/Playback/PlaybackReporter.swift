import MediaPipeline
import SystemCalls

/// Publishes the loop's state to the snapshot, to observers and to the items' logs. Runs on the player's thread.
struct PlaybackReporter {
    private let core: PlayerCore
    var statistics = PlaybackStatistics()
    /// The times from passing a frame to the display until it is visible, if the display reports them.
    var presentTimes = TimeHistogram()
    /// The change that time observers have not been notified of yet.
    var change = TimeObserver.Change.none
    private var hasWarnedOfWaiting = false

    init(core: PlayerCore) { self.core = core }

    // MARK: State

    func setRequestedRate(_ rate: Float) {
        let changed = core.snapshot.withLock { snapshot in
            defer { snapshot.rate = rate }
            return snapshot.rate != rate
        }
        if changed { core.tell(.rateChanged(rate)) }
    }

    mutating func setStatus(
        _ status: PlayerTimeControlStatus, _ reason: PlayerWaitingReason?, of item: PlayingItem?, _ clock: PlaybackClock
    ) {
        let changed = core.snapshot.withLock { snapshot in
            let changed = snapshot.published.status != status || snapshot.published.waitingReason != reason
            snapshot.published.status = status
            // A program that reads `.waitingToPlayAtSpecifiedRate` must also read a stopped clock.
            snapshot.published.clock = clock
            snapshot.published.waitingReason = status == .waitingToPlayAtSpecifiedRate ? reason : nil
            return changed
        }
        guard changed else { return }
        if change == .none { change = .rate }
        if status != .playing {
            item?.report { $0.log.stopped(dropped: statistics.framesDropped, at: MonotonicTime.now) }
        }
        core.tell(.statusChanged)
    }

    mutating func publish(
        _ clock: PlaybackClock, seekTarget: Int64?, isAtEnd: Bool, audio: PlaybackStatistics.Audio?,
        decodeTimes: TimeHistogram?
    ) {
        if let audio { statistics.audio = audio }
        statistics.presentTimes = PlaybackStatistics.Histogram(presentTimes)
        statistics.decodeTimes = PlaybackStatistics.Histogram(decodeTimes ?? TimeHistogram())
        core.snapshot.withLock { snapshot in
            snapshot.published.clock = clock
            if snapshot.seeksAhead == 0 { snapshot.seekTarget = seekTarget }
            snapshot.published.isAtEnd = isAtEnd
            snapshot.published.statistics = statistics
        }
    }

    /// Warns once that waiting for commands has failed.
    mutating func cannotWait(_ error: SystemCallError) {
        if !hasWarnedOfWaiting { core.tell(.warning("cannot wait for events: \(error)")) }
        hasWarnedOfWaiting = true
    }

    // MARK: Logs

    /// Starts a period in the item's access log.
    func beginLog(_ item: PlayingItem, _ clock: PlaybackClock) {
        let now = MonotonicTime.now
        let isNew = item.report {
            $0.log.started(
                uri: item.item.location, offset: clock.time(at: now), dropped: statistics.framesDropped, at: now)
        }
        if isNew == true { core.tell(.accessLogged(item.item)) }
    }

    func closeLog(_ item: PlayingItem) {
        let bytes = item.source.buffering.bytesRead
        item.report { $0.log.closePeriod(bytes: bytes, dropped: statistics.framesDropped, at: MonotonicTime.now) }
    }

    func logError(_ item: PlayingItem, _ error: MediaError) {
        item.report { $0.log.failed(uri: item.item.location, code: 0, error.message) }
        core.tell(.errorLogged(item.item))
    }

    // MARK: Time observers

    /// Calls the time observers that are due.
    ///
    /// - Returns: Host time at which the next observer is due.
    mutating func notifyTimeObservers(of item: PlayingItem?, _ clock: PlaybackClock, now: Int64) -> Int64? {
        guard let item, item.info != nil, item.phase == .ready || item.phase == .playing else { return nil }
        let change = change
        self.change = .none
        let time = clock.time(at: now)
        var next: Int64?
        for observer in core.timeObservers.withLock({ Array($0.values) }) {
            let due = observer.follow(time, change)
            // Wake a microsecond late rather than a nanosecond early, which would require a second wakeup.
            if item.phase == .playing, let due {
                next = HostTime.earlier(next, clock.hostTime(of: due).map { $0 + 1000 })
            }
        }
        return next
    }
}
