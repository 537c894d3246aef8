import MediaPipeline
import SystemCalls

/// Publishes the loop's state to the snapshot, to observers and to the items' logs. Runs on the player's thread.
struct PlaybackReporter {
    let core: PlayerCore
    var statistics = PlaybackStatistics()
    /// The times from passing a frame to the display server until it is visible, if the display server reports them.
    var presentTimes = TimeHistogram()
    /// The change that time observers have not been notified of yet.
    var pendingChange = TimeObserver.Change.none
    /// The position, in nanoseconds of media time, at which the next event of the access log begins; nil if it is
    /// unknown.
    var nextLogEventTime: Int64?
    /// Whether the program was warned that the player's thread cannot wait for events.
    private var hasWarnedOfWaiting = false

    init(core: PlayerCore) { self.core = core }

    // MARK: State

    /// Publishes the requested rate.
    func setRequestedRate(_ rate: Float) {
        let hasChanged = core.snapshot.withLock { snapshot in
            defer { snapshot.rate = rate }
            return snapshot.rate != rate
        }
        if hasChanged { core.notify(.rateChanged(rate)) }
    }

    /// Publishes whether the player plays, waits or is paused. A change ends or begins a period in the item's log.
    mutating func setStatus(
        _ status: PlayerTimeControlStatus, _ reason: PlayerWaitingReason?, of item: PlayingItem?, _ clock: PlaybackClock
    ) {
        let hasChanged = core.snapshot.withLock { snapshot in
            let hasChanged = snapshot.published.status != status || snapshot.published.waitingReason != reason
            snapshot.published.status = status
            // A program that reads `.waitingToPlayAtSpecifiedRate` must also read a stopped clock.
            snapshot.published.clock = clock
            snapshot.published.waitingReason = status == .waitingToPlayAtSpecifiedRate ? reason : nil
            return hasChanged
        }
        guard hasChanged else { return }
        if pendingChange == .none { pendingChange = .rate }
        if status != .playing {
            let now = MonotonicTime.now
            item?.updateItemState {
                $0.log.recordStop(at: clock.time(at: now), droppedFrameCount: statistics.framesDropped, now: now)
            }
        }
        core.notify(.statusChanged)
    }

    /// Publishes the clock, the seek target and the statistics.
    mutating func publish(
        _ clock: PlaybackClock, seekTarget: Int64?, isAtEnd: Bool, audio: PlaybackStatistics.Audio?,
        decodeTimes: TimeHistogram?
    ) {
        if let audio { statistics.audio = audio }
        statistics.presentTimes = PlaybackStatistics.Histogram(presentTimes)
        statistics.decodeTimes = PlaybackStatistics.Histogram(decodeTimes ?? TimeHistogram())
        core.snapshot.withLock { snapshot in
            snapshot.published.clock = clock
            if snapshot.queuedSeekCount == 0 { snapshot.seekTarget = seekTarget }
            snapshot.published.isAtEnd = isAtEnd
            snapshot.published.statistics = statistics
        }
    }

    /// Warns the program once that the player's thread cannot wait for commands and other events.
    mutating func reportFailedWait(_ error: SystemCallError) {
        if !hasWarnedOfWaiting { core.notify(.warning("cannot wait for events: \(error)")) }
        hasWarnedOfWaiting = true
    }

    // MARK: Time observers

    /// Calls the time observers that are due.
    ///
    /// - Returns: The host time at which the next observer is due.
    mutating func notifyTimeObservers(of item: PlayingItem?, _ clock: PlaybackClock, now: Int64) -> Int64? {
        guard let item, item.info != nil, item.phase == .ready || item.phase == .playing else { return nil }
        let change = pendingChange
        pendingChange = .none
        let time = clock.time(at: now)
        var nextDeadline: Int64?
        for observer in core.timeObservers.withLock({ Array($0.values) }) {
            let due = observer.update(time, change)
            // Wake a microsecond late rather than a nanosecond early, which would require a second wakeup.
            if item.phase == .playing, let due {
                nextDeadline = HostTime.earlier(nextDeadline, clock.hostTime(of: due).map { $0 + 1000 })
            }
        }
        return nextDeadline
    }
}
