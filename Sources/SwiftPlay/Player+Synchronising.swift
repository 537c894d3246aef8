import SystemCalls

extension Player {
    /// Plays at `rate` so that the item's moment `itemTime` is seen and heard at `hostTime`: the start of several
    /// players at once, or along with something else. ``automaticallyWaitsToMinimizeStalling`` must be false.
    ///
    /// With a host time nothing is waited for: what is not there in time is left out, and the rest comes when it would
    /// have come. A host time that is past is when `itemTime` would have been seen. Until then ``currentTime()`` stands
    /// there, with its picture; give it some tenths of a second, in which the place is gone to and the sound's device
    /// begins. Another rate, item or seek before that takes its place. Where nothing can be sought in, this is
    /// ``playImmediately(atRate:)``.
    ///
    /// - Parameters:
    ///   - rate: 0 stands still at `itemTime`, at once.
    ///   - itemTime: not numeric: wherever playing is then.
    ///   - hostTime: on ``Timebase/hostTime``'s clock (CLOCK_MONOTONIC); not numeric: as soon as it can be.
    public func setRate(_ rate: Float, time itemTime: MediaTime, atHostTime hostTime: MediaTime) {
        precondition(!automaticallyWaitsToMinimizeStalling, "who waits for data cannot begin at a certain time")
        let rate = Self.bounded(rate), now = MonotonicTime.now
        // Three years away is never: times are subtracted from each other.
        let host =
            rate == 0
            ? nil
            : hostTime.nanoseconds.map { min(max($0, now - 100_000_000_000_000_000), now + 100_000_000_000_000_000) }
        guard !core.snapshot.withLock({ $0.isClosed }) else { return }
        guard let item = currentItem, item.status != .failed, item.status == .unknown || item.isSeekable,
            itemTime.isNumeric || host != nil
        else { return rate == 0 ? pause() : playImmediately(atRate: rate) }
        var target: Int64 = core.snapshot.withLock { snapshot in
            defer { (snapshot.rate, snapshot.startsImmediately) = (rate, true) }
            return snapshot.seekTarget ?? snapshot.published.clock.time(at: max(host ?? now, now))
        }
        if let time = itemTime.nanoseconds { target = time }
        if let end = item.duration.nanoseconds { target = min(target, end) }
        core.seek(item, to: max(0, target), .exact, start: ScheduledStart(rate: rate, host: host)) { _ in }
    }
}
