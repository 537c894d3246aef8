import MediaPipeline
import SystemCalls

/// Live streams: reading ahead, and positions that the server has removed from the stream.
extension PlaybackLoop {
    /// Sends the current item's source the settings for following a live stream and for reading ahead, if they have
    /// changed.
    func updateReadingDemand() {
        guard let currentItem else { return sentDemands.reading = nil }
        let demand = readingDemand(of: currentItem.playerItem)
        guard demand != sentDemands.reading else { return }
        sentDemands.reading = demand
        currentItem.source.setReadingDemand(demand)
    }

    /// Returns the settings for an item's source: whether it follows a live stream, and the limits for reading ahead.
    func readingDemand(of item: PlayerItem) -> ReadingDemand {
        let preferences = item.state.withLock { $0.readingPreferences }
        var demand = ReadingDemand()
        demand.followsLiveStream = rate != 0 || preferences.usesNetworkWhilePaused
        demand.liveOffset = preferences.liveOffset
        demand.readAhead = preferences.forwardBufferDuration
        let budget = Application.shared.memoryBudget
        (demand.byteLimit, demand.cacheByteLimit) = (budget.readAheadByteLimit, budget.cacheByteLimit)
        return demand
    }

    /// Handles the removal of the next part of a live stream by its server. Seeks to `time` at once if `isImmediate` is
    /// true and playback is not paused, otherwise when all media that was read has been played.
    func handleFallingBehind(_ item: PlayingItem, resumingAt time: Int64, isImmediate: Bool) {
        currentItem?.stateSinceSeek.liveRejoinPosition = time
        if isImmediate, rate != 0 { _ = rejoinLiveStream() }
    }

    /// Seeks to the oldest available part of a live stream, if the server has removed the part that follows the media
    /// read.
    ///
    /// - Returns: Whether a seek was started.
    func rejoinLiveStream() -> Bool {
        guard let item = currentItem, let position = item.stateSinceSeek.liveRejoinPosition else { return false }
        let time = max(position, item.source.segmentWindow?.rejoinPosition ?? position)
        let skipped = max(0, time - clock.time(at: MonotonicTime.now)) / 1_000_000_000
        let error = MediaError(.network, "playback fell behind the live stream and skips \(skipped) s")
        core.notify(.warning("\(error)"))
        reporter.logError(item, error)
        begin(SeekCommand(time: time, precision: .keyframe))
        return true
    }

    /// Returns `seek` with its target clamped to the live stream's seekable range. The range was unknown when the
    /// program requested the seek, before the item was open.
    func clampedToLiveStream(_ seek: SeekCommand) -> SeekCommand {
        guard let range = currentItem?.source.segmentWindow?.seekableRange, currentItem?.info?.duration == nil else {
            return seek
        }
        var seek = seek
        seek.time = min(max(seek.time, range.lowerBound), range.upperBound)
        return seek
    }

    /// Seeks forward in a live stream by the duration of a stall, if the program has requested that and the stall was
    /// longer than a target duration.
    ///
    /// - Parameters:
    ///   - stallHostTime: The host time at which playback stalled; nil if there was no stall.
    ///   - now: The present host time.
    /// - Returns: Whether a seek was started.
    func skipStalledTime(since stallHostTime: Int64?, now: Int64) -> Bool {
        guard let stallHostTime, let item = currentItem, let window = item.source.segmentWindow,
            !window.playlist.isComplete,
            item.playerItem.state.withLock({ $0.readingPreferences.preservesLiveOffset }),
            now - stallHostTime > window.playlist.targetDuration
        else { return false }
        begin(clampedToLiveStream(SeekCommand(time: clock.time(at: now) + now - stallHostTime, precision: .keyframe)))
        return true
    }
}
