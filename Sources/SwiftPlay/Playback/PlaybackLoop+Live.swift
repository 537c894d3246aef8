import MediaPipeline
import SystemCalls

/// Live streams: following them, and positions that are no longer available.
extension PlaybackLoop {
    /// Tells the sources of the current and the next item how to follow a live stream and how far to read ahead, if
    /// that has changed.
    func updateReadingDemand() {
        guard let current else { return sentDemands.reading = nil }
        let new = readingDemand(of: current.item)
        guard new != sentDemands.reading else { return }
        sentDemands.reading = new
        current.source.setReadingDemand(new)
    }

    /// Returns what the player wants of reading an item.
    func readingDemand(of item: PlayerItem) -> ReadingDemand {
        let preferences = item.state.withLock { $0.reading }
        var demand = ReadingDemand()
        demand.followsLiveStream = rate != 0 || preferences.usesNetworkWhilePaused
        demand.liveOffset = preferences.configuredOffset
        demand.readAhead = preferences.forwardBuffer
        return demand
    }

    /// Handles the removal of what follows from a live stream: seeks now, or when everything that was read is played.
    func fellBehind(_ c: PlayingItem, resumingAt time: Int64, isImmediate: Bool) {
        current?.run.liveRejoinPosition = time
        if isImmediate, rate != 0 { _ = rejoinLiveStream() }
    }

    /// Continues with the oldest part of a live stream that is available, if what follows was removed.
    ///
    /// - Returns: Whether a seek was started.
    func rejoinLiveStream() -> Bool {
        guard let c = current, let known = c.run.liveRejoinPosition else { return false }
        let time = max(known, c.source.segmentWindow?.rejoinPosition ?? known)
        let skipped = max(0, time - clock.time(at: MonotonicTime.now)) / 1_000_000_000
        let error = MediaError(.network, "playback fell behind the live stream and skips \(skipped) s")
        core.notify(.warning("\(error)"))
        reporter.logError(c, error)
        begin(SeekCommand(time: time, precision: .keyframe))
        return true
    }

    /// Returns a seek that was requested before the item was open, with a time that a live stream contains.
    func clampedToLiveStream(_ seek: SeekCommand) -> SeekCommand {
        guard let range = current?.source.segmentWindow?.seekableRange, current?.info?.duration == nil else {
            return seek
        }
        var seek = seek
        seek.time = min(max(seek.time, range.lowerBound), range.upperBound)
        return seek
    }

    /// Skips what was missed by a stall in a live stream, if the program wants that.
    ///
    /// - Parameters:
    ///   - since: The host time at which playback stalled; nil if it did not.
    ///   - now: The present host time.
    /// - Returns: Whether a seek was started.
    func skipStall(since: Int64?, now: Int64) -> Bool {
        guard let since, let c = current, let window = c.source.segmentWindow, !window.playlist.isComplete,
            c.item.state.withLock({ $0.reading.preservesOffset }), now - since > window.playlist.targetDuration
        else { return false }
        begin(clampedToLiveStream(SeekCommand(time: clock.time(at: now) + now - since, precision: .keyframe)))
        return true
    }
}
