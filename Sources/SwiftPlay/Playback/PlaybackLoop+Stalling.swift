import MediaPipeline
import SystemCalls

/// Data that arrives too slowly: carries out the decisions of ``StallPlan``.
extension PlaybackLoop {
    /// Handles an empty frame queue: the item has ended, or the decoder is late.
    ///
    /// - Returns: Host time at which to call again; nil without a deadline.
    func handleEmptyFrameQueue(now: Int64) -> Int64? {
        guard let c = current else { return nil }
        let underrun = StallPlan.UnderrunState(
            hasPictureEnded: c.video.hasEnded, hasAudioEnded: c.audio.hasEnded, isStarved: audio?.isStarved == true,
            isEmpty: c.source.buffering.isEmptyForPlaying, pictureEnd: c.video.lastFrameEndTime,
            catchUpDeadline: seeking.scheduledPlayback?.catchUpDeadline, isUntimed: core.configuration.isUntimed)
        switch StallPlan.action(for: underrun, clock, now: now) {
        case .wait(let until): return until
        case .stall(let media, let until):
            stall(at: media, now: now)
            return until
        case .end:
            handleItemEnd()
            return nil
        }
    }

    /// Stops the clock until enough data has arrived.
    private func stall(at media: Int64?, now: Int64) {
        guard let c = current else { return }
        seeking.clearScheduledPlayback()
        haltPlayback(now: now)
        if let media { clock.set(media, host: now) }
        let (waits, isImmediate) = core.snapshot.withLock {
            ($0.settings.waitsToMinimizeStalling, $0.startsImmediately)
        }
        current?.run.stalledAt = now
        let position = clock.time(at: now)
        c.updateItem { $0.log.stalled(at: position) }
        if waits {
            setStatus(.waitingToPlayAtSpecifiedRate, .toMinimizeStalls)
        } else {
            setRequestedRate(0)
            setStatus(.paused, nil)
        }
        // A program that called `playImmediately(atRate:)` expects stalls and is not notified.
        if !isImmediate { core.notify(.stalled(c.item)) }
    }

    /// Waits after a stall until there is enough data to continue.
    ///
    /// - Returns: Host time at which to call again; nil to continue playback.
    func waitForMoreData(_ c: PlayingItem, since: Int64, now: Int64) -> Int64? {
        let buffering = c.source.buffering
        let isImmediate = core.snapshot.withLock { $0.startsImmediately || !$0.settings.waitsToMinimizeStalling }
        let stalled = StallPlan.StalledState(
            hasPicture: hasPicture(c),
            hasAudio: c.audio.hasEnded || c.source.audio.count > 0 || buffering.hasReadAll, isImmediate: isImmediate,
            isLikelyToKeepUp: buffering.isLikelyToKeepUp, isRemote: buffering.isRemote, since: since)
        guard let until = StallPlan.wait(stalled, now: now) else { return nil }
        setStatus(.waitingToPlayAtSpecifiedRate, isImmediate ? .evaluatingBufferingRate : .toMinimizeStalls)
        return until
    }

    /// Returns whether a frame is decoded, or no more frames follow.
    func hasPicture(_ c: PlayingItem) -> Bool {
        c.video.hasEnded || display.preparedFrame != nil || c.source.video.first != nil
    }
}
