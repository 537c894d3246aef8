import MediaPipeline
import SystemCalls

/// What the outside sees: state, logs, time observers.
extension PlaybackLoop {
    func setRequestedRate(_ rate: Float) {
        let changed = core.snapshot.withLock { snapshot in
            defer { snapshot.rate = rate }
            return snapshot.rate != rate
        }
        if changed { core.tell(.rateChanged(rate)) }
    }

    func setStatus(_ status: PlayerTimeControlStatus, _ reason: PlayerWaitingReason?) {
        let changed = core.snapshot.withLock { snapshot in
            let changed = snapshot.status != status || snapshot.waitingReason != reason
            snapshot.status = status
            // Who reads that it waits reads a time that stands.
            snapshot.clock = clock
            snapshot.waitingReason = status == .waitingToPlayAtSpecifiedRate ? reason : nil
            return changed
        }
        guard changed else { return }
        if unseenChange == .none { unseenChange = .rate }
        noteStatus(status)
        core.tell(.statusChanged)
    }

    func publish() {
        if let figures = sound?.figures {
            (statistics.audioUnderruns, statistics.audioRecoveries) = (figures.underruns, figures.recoveries)
            (statistics.audioLosses, statistics.audioTries, statistics.audioReturns) = (figures.losses, figures.tries, figures.returns)
        }
        statistics.presentTimes = PlaybackStatistics.Histogram(presentTimes)
        statistics.decodeTimes = PlaybackStatistics.Histogram(current?.source.decodeTimes ?? TimeHistogram())
        core.snapshot.withLock { snapshot in
            snapshot.clock = clock
            if snapshot.seeksAhead == 0 { snapshot.seekTarget = seeking.target }
            snapshot.isAtEnd = current?.hasReportedEnd ?? false
            let handoffs = snapshot.statistics.handoffs
            snapshot.statistics = statistics
            snapshot.statistics.handoffs = handoffs
        }
    }

    // MARK: logs

    func noteStatus(_ status: PlayerTimeControlStatus) {
        guard status != .playing, let c = current else { return }
        c.report { $0.log.stopped(dropped: statistics.framesDropped, at: MonotonicTime.now) }
    }

    /// The current item plays.
    func beginLog() {
        guard let c = current else { return }
        let now = MonotonicTime.now
        let isNew = c.report {
            $0.log.started(uri: c.item.location, offset: clock.time(at: now), dropped: statistics.framesDropped, at: now)
        }
        if isNew == true { core.tell(.accessLogged(c.item)) }
    }

    func closeLog(_ c: PlayingItem) {
        let bytes = c.source.buffering.bytesRead
        c.report { $0.log.closePeriod(bytes: bytes, dropped: statistics.framesDropped, at: MonotonicTime.now) }
    }

    func logError(_ c: PlayingItem, _ error: MediaError) {
        c.report { $0.log.failed(uri: c.item.location, code: 0, error.message) }
        core.tell(.errorLogged(c.item))
    }

    // MARK: time observers

    /// Calls the time observers that are due.
    ///
    /// - Returns: host time at which the next one is.
    func tellTimeObservers(now: Int64) -> Int64? {
        guard let c = current, c.info != nil, c.phase == .ready || c.phase == .playing else { return nil }
        let change = unseenChange
        unseenChange = .none
        let time = clock.time(at: now)
        var next: Int64?
        for observer in core.timeObservers.withLock({ Array($0.values) }) {
            let due = observer.follow(time, change)
            // A microsecond late rather than a nanosecond early, which would be a turn for nothing.
            if c.phase == .playing, let due { next = HostTime.earlier(next, clock.hostTime(of: due).map { $0 + 1000 }) }
        }
        return next
    }
}
