import SystemCalls

extension Player {
    /// Starts playback so that the picture and audio of `itemTime` are output at `hostTime`
    /// (AVPlayer.setRate(_:time:atHostTime:)). Use it to start several players together.
    ///
    /// ``automaticallyWaitsToMinimizeStalling`` must be false; otherwise a precondition fails. The player does not wait
    /// for media: media that is not ready in time is skipped. A host time in the past is the time at which `itemTime`
    /// would have been shown. Until the host time, ``currentTime()`` is `itemTime` and its picture is shown. Choose a
    /// host time some tenths of a second from now, because the seek and opening the audio device take time. Another
    /// rate, item or seek replaces the scheduled start. If the item is not seekable, this is the same as
    /// ``playImmediately(atRate:)``.
    ///
    /// - Parameters:
    ///   - rate: See ``rate``. With 0 the player pauses at `itemTime` at once.
    ///   - itemTime: The time on the item's timeline; if not numeric, the current time.
    ///   - hostTime: A time of the clock ``Timebase/hostTime``; if not numeric, playback starts as soon as possible.
    public func setRate(_ rate: Float, time itemTime: MediaTime, atHostTime hostTime: MediaTime) {
        precondition(!automaticallyWaitsToMinimizeStalling, "automaticallyWaitsToMinimizeStalling must be false")
        let rate = Self.bounded(rate), now = MonotonicTime.now
        // Clamp the host time to three years before or after now, so that differences of times do not overflow.
        let startTime =
            rate == 0
            ? nil
            : hostTime.nanoseconds.map { min(max($0, now - 100_000_000_000_000_000), now + 100_000_000_000_000_000) }
        guard !core.snapshot.withLock({ $0.isClosed }) else { return }
        guard let item = currentItem, item.status != .failed, item.status == .unknown || item.isSeekable,
            itemTime.isNumeric || startTime != nil
        else { return rate == 0 ? pause() : playImmediately(atRate: rate) }
        var target: Int64 = core.snapshot.withLock { snapshot in
            defer { (snapshot.rate, snapshot.startsImmediately) = (rate, true) }
            return snapshot.seekTarget ?? snapshot.published.clock.time(at: max(startTime ?? now, now))
        }
        if let time = itemTime.nanoseconds { target = time }
        if let end = item.duration.nanoseconds { target = min(target, end) }
        core.seek(item, to: max(0, target), .exact, start: ScheduledStart(rate: rate, hostTime: startTime)) { _ in }
    }
}
