import MediaPipeline
import SystemCalls

/// Waiting for a file that comes too slowly, and the books about it.
extension PlaybackLoop {
    /// Without an event to wake it, the loop looks again after this, nanoseconds.
    private static let lookInterval: Int64 = 100_000_000
    /// What keeps up is not waited for longer than this.
    private static let stallLimit: Int64 = 2_000_000_000

    /// There is nothing to play: the clock stands until there is.
    func stall(at media: Int64?, now: Int64) {
        guard let c = current else { return }
        sound?.pause()
        clock.stop(at: now)
        if let media { clock.set(media, host: now) }
        let (waits, isImmediate) = core.snapshot.withLock { ($0.waitsToMinimizeStalling, $0.startsImmediately) }
        current?.phase = .ready
        current?.isStalled = true
        current?.stalledAt = now
        c.item.state.withLock { $0.log.stalled() }
        if waits {
            setStatus(.waitingToPlayAtSpecifiedRate, .toMinimizeStalls)
        } else {
            setRequestedRate(0)
            setStatus(.paused, nil)
        }
        // Who asked to play with nothing there knows.
        if !isImmediate { core.tell(.stalled(c.item)) }
    }

    /// After a stall: is there enough to go on?
    ///
    /// - Returns: when to look again; nil: go on.
    func waitForMore(_ c: Current, now: Int64) -> Int64? {
        let buffering = c.source.buffering
        let hasPicture = c.videoHasEnded || prepared != nil || c.source.video.first != nil
        let hasSound = c.soundHasEnded || c.source.audio.count > 0 || buffering.hasReadAll
        let isImmediate = core.snapshot.withLock { $0.startsImmediately || !$0.waitsToMinimizeStalling }
        if hasPicture, hasSound, isImmediate || buffering.isLikelyToKeepUp || now - c.stalledAt > Self.stallLimit { return nil }
        setStatus(.waitingToPlayAtSpecifiedRate, isImmediate ? .evaluatingBufferingRate : .toMinimizeStalls)
        return now + Self.lookInterval
    }

    /// The picture is over or there is none: the sound plays on to its end, unless nothing of it comes.
    func waitForSound(_ c: Current, now: Int64) -> Int64? {
        if sound?.isStarved == true, c.source.buffering.isEmptyForPlaying {
            stall(at: nil, now: now)
            return now + Self.lookInterval
        }
        return now + Self.lookInterval
    }

    // MARK: logs

    func noteStatus(_ status: Player.TimeControlStatus) {
        guard status != .playing, let c = current else { return }
        c.item.state.withLock { $0.log.stopped(dropped: statistics.framesDropped, at: MonotonicTime.now) }
    }

    /// The current item plays.
    func beginLog() {
        guard let c = current else { return }
        let now = MonotonicTime.now
        let isNew = c.item.state.withLock {
            $0.log.started(uri: c.item.location, offset: clock.time(at: now), dropped: statistics.framesDropped, at: now)
        }
        if isNew { core.tell(.accessLogged(c.item)) }
    }

    func closeLog(_ c: Current) {
        let bytes = c.source.buffering.bytesRead
        c.item.state.withLock { $0.log.closePeriod(bytes: bytes, dropped: statistics.framesDropped, at: MonotonicTime.now) }
    }

    func logError(_ item: PlayerItem, _ error: MediaError) {
        item.state.withLock { $0.log.failed(uri: item.location, code: 0, error.message) }
        core.tell(.errorLogged(item))
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
            if c.phase == .playing, let due { next = Self.earlier(next, clock.hostTime(of: due).map { $0 + 1000 }) }
        }
        return next
    }
}
