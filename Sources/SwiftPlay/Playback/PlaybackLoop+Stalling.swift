import MediaPipeline
import SystemCalls

/// Waiting for a file that comes too slowly.
extension PlaybackLoop {
    /// Without an event to wake it, the loop looks again after this, nanoseconds.
    private static let lookInterval: Int64 = 100_000_000
    /// What keeps up is not waited for longer than this.
    private static let stallLimit: Int64 = 2_000_000_000
    /// The same for an address, which plays on and stalls again where too little has come.
    private static let addressStallLimit: Int64 = 15_000_000_000

    /// There is nothing to play: the clock stands until there is.
    func stall(at media: Int64?, now: Int64) {
        guard let c = current else { return }
        seeking.dropAppointment()
        halt(now: now)
        if let media { clock.set(media, host: now) }
        let (waits, isImmediate) = core.snapshot.withLock { ($0.settings.waitsToMinimizeStalling, $0.startsImmediately) }
        current?.run.stalledAt = now
        c.report { $0.log.stalled() }
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
    func waitForMore(_ c: PlayingItem, since: Int64, now: Int64) -> Int64? {
        let buffering = c.source.buffering
        let hasPicture = c.video.hasEnded || display.prepared != nil || c.source.video.first != nil
        let hasSound = c.audio.hasEnded || c.source.audio.count > 0 || buffering.hasReadAll
        let isImmediate = core.snapshot.withLock { $0.startsImmediately || !$0.settings.waitsToMinimizeStalling }
        let limit = buffering.isRemote ? Self.addressStallLimit : Self.stallLimit
        if hasPicture, hasSound, isImmediate || buffering.isLikelyToKeepUp || now - since > limit { return nil }
        setStatus(.waitingToPlayAtSpecifiedRate, isImmediate ? .evaluatingBufferingRate : .toMinimizeStalls)
        return now + Self.lookInterval
    }

    /// The picture is over or there is none: the sound plays on to its end, unless nothing of it comes.
    func waitForSound(_ c: PlayingItem, now: Int64) -> Int64? {
        if sound?.isStarved == true, c.source.buffering.isEmptyForPlaying {
            stall(at: nil, now: now)
            return now + Self.lookInterval
        }
        return now + Self.lookInterval
    }
}
