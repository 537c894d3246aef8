import MediaPipeline
import SystemCalls

/// Data that arrives too slowly: carries out the decisions of ``StallPlan``.
extension PlaybackLoop {
    /// Handles an empty frame queue: the item has ended, or the decoder is late.
    ///
    /// - Returns: The host time at which to call this method again; nil without a deadline.
    func handleEmptyFrameQueue(now: Int64) -> Int64? {
        guard let item = currentItem else { return nil }
        let underrun = StallPlan.UnderrunState(
            hasVideoEnded: item.video.hasEnded, hasAudioEnded: item.audio.hasEnded,
            isAudioStarved: audioPipeline?.isStarved == true,
            isBufferEmpty: item.source.buffering.isEmptyForPlaying, lastFrameEndTime: item.video.lastFrameEndTime,
            catchUpDeadline: seekState.scheduledPlayback?.catchUpDeadline, isUntimed: core.configuration.isUntimed)
        switch StallPlan.action(for: underrun, clock, now: now) {
        case .wait(let deadline): return deadline
        case .stall(let mediaTime, let nextCheckTime):
            stall(at: mediaTime, now: now)
            return nextCheckTime
        case .end:
            handleItemEnd()
            return nil
        }
    }

    /// Stops the clock until enough data has arrived.
    private func stall(at mediaTime: Int64?, now: Int64) {
        guard let item = currentItem else { return }
        seekState.clearScheduledPlayback()
        haltPlayback(now: now)
        if let mediaTime { clock.set(mediaTime, hostTime: now) }
        let (waitsToMinimizeStalling, startsImmediately) = core.snapshot.withLock {
            ($0.settings.waitsToMinimizeStalling, $0.startsImmediately)
        }
        currentItem?.stateSinceSeek.stallHostTime = now
        let position = clock.time(at: now)
        item.updateItemState { $0.log.recordStall(at: position) }
        if waitsToMinimizeStalling {
            setStatus(.waitingToPlayAtSpecifiedRate, .toMinimizeStalls)
        } else {
            setRequestedRate(0)
            setStatus(.paused, nil)
        }
        // A program that called `playImmediately(atRate:)` expects stalls and is not notified.
        if !startsImmediately { core.notify(.stalled(item.playerItem)) }
    }

    /// Waits after a stall until there is enough data to continue.
    ///
    /// - Returns: The host time at which to call this method again; nil to continue playback.
    func waitForMoreData(_ item: PlayingItem, stalledSince stallHostTime: Int64, now: Int64) -> Int64? {
        let buffering = item.source.buffering
        let startsImmediately = core.snapshot.withLock { $0.startsImmediately || !$0.settings.waitsToMinimizeStalling }
        let stalledState = StallPlan.StalledState(
            isVideoReady: isVideoReady(item),
            isAudioReady: item.audio.hasEnded || item.source.audio.count > 0 || buffering.hasReadAll,
            startsImmediately: startsImmediately,
            isLikelyToKeepUp: buffering.isLikelyToKeepUp, isRemote: buffering.isRemote,
            stallHostTime: stallHostTime)
        guard let nextCheckTime = StallPlan.nextCheckTime(for: stalledState, now: now) else { return nil }
        setStatus(.waitingToPlayAtSpecifiedRate, startsImmediately ? .evaluatingBufferingRate : .toMinimizeStalls)
        return nextCheckTime
    }

    /// Returns whether a frame is decoded, or no more frames follow.
    func isVideoReady(_ item: PlayingItem) -> Bool {
        item.video.hasEnded || displayProgress.preparedFrame != nil || item.source.video.first != nil
    }
}
