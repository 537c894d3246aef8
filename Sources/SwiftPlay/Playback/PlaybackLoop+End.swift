import MediaPipeline
import SystemCalls

/// The end of an item, and what follows it.
extension PlaybackLoop {
    /// Where playing the item ends or goes back before the item's own end.
    var chosenEnd: Int64? {
        let loop = core.snapshot.withLock { $0.settings.loop }.flatMap { $0.end == .max ? nil : $0.end }
        guard let end = current?.item.state.withLock({ $0.end }) else {
            // Who is beyond the loop already plays on.
            return loop.flatMap { $0 > clock.time(at: MonotonicTime.now) ? $0 : nil }
        }
        return end
    }

    /// Without a clock to speak of the frame itself tells.
    func isBeyond(_ end: Int64) -> Bool { core.configuration.isUntimed && (display.prepared?.presentationTime ?? 0) >= end }

    /// How long a picture may be missing before that is a stall, nanoseconds.
    private static let stallPatience: Int64 = 200_000_000

    /// No frame is there: either the item is over, or the decoder is behind.
    func endOrWait(now: Int64) -> Int64? {
        guard let c = current else { return nil }
        guard c.video.hasEnded else {
            // Where the sound plays on it holds the clock. Else, when the file comes too slowly, the clock waits where the picture does.
            guard c.audio.hasEnded || sound?.isStarved == true, c.video.lastFrame != nil,
                let late = clock.hostTime(of: c.video.end + Self.stallPatience)
            else { return c.audio.hasEnded ? nil : now + Self.stallPatience }
            if late > now { return late }
            // A start at a host time catches up with frames that come too late.
            if let deadline = seeking.appointment?.catchUpDeadline, now < deadline { return min(deadline, now + Self.stallPatience) }
            stall(at: c.video.end, now: now)
            return nil
        }
        // The last frame is seen for its own time.
        if !core.configuration.isUntimed, c.video.lastFrame != nil, let end = clock.hostTime(of: c.video.end), end > now { return end }
        guard c.audio.hasEnded else { return waitForSound(c, now: now) }
        reachEnd()
        return nil
    }

    func reachEnd() {
        // Handles what was reported before the end was decoded.
        handleSourceEvents()
        guard var c = current, !c.run.hasReportedEnd else { return }
        if c.info?.video != nil, c.video.lastFrame == nil, !c.audio.isForDevice {
            current?.phase = .failed
            return fail(c.item, PlaybackError(.corrupt, "not a single picture of it can be decoded"))
        }
        if goRound() { return }
        c.run.hasReportedEnd = true
        current = c
        let now = MonotonicTime.now
        let ended: PlayerCore.Event = c.run.readError.map { .failedToPlayToEnd(c.item, PlaybackError($0)) } ?? .playedToEnd(c.item)
        let action = core.snapshot.withLock { $0.settings.actionAtItemEnd }
        // Whoever hears of the end and plays on must not be paused after that.
        if action == .pause { apply(action, now: now) }
        core.tell(ended)
        if action != .pause { apply(action, now: now) }
    }

    /// What is done at an item's end.
    func apply(_ action: PlayerActionAtItemEnd, now: Int64) {
        guard var c = current, c.run.hasReportedEnd else { return }
        switch action {
        case .none: publish()
        case .advance: advanceQueue()
        case .pause:
            sound?.pause()
            clock.stop(at: now)
            c.phase = .ready
            c.audio.pause()
            if let duration = c.info?.duration {
                let end = min(c.item.state.withLock { $0.end } ?? duration, duration)
                if c.video.lastFrame == nil || duration >= c.video.end { clock.set(end, host: now) }
            }
            current = c
            setRequestedRate(0)
            publish()
            setStatus(.paused, nil)
        }
    }
}
