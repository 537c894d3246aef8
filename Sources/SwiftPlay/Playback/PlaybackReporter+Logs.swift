import HTTPTransfer
import MediaPipeline
import SystemCalls

/// The logs of the items.
extension PlaybackReporter {
    /// Starts a new period in the item's access log, unless one is under way.
    ///
    /// - Parameter now: The host time at which the item's playback starts. Whoever reports it later must not pass the
    ///   time of the report: the media until then would not be counted.
    mutating func beginLogPeriod(_ item: PlayingItem, _ clock: PlaybackClock, now: Int64) {
        let position = clock.time(at: now)
        let downloads = item.source.downloads, description = Self.description(of: item)
        let droppedFrameCount = statistics.framesDropped
        updateLog(of: item, at: position) { log in
            let count = log.update(downloads)
            return count
                + log.recordStart(of: description, at: position, droppedFrameCount: droppedFrameCount, now: now)
        }
    }

    /// Counts downloads and playback in the item's access log, which gets an event for each change of the variant.
    mutating func updateLog(of item: PlayingItem, _ clock: PlaybackClock) {
        let now = MonotonicTime.now, position = clock.time(at: now)
        let downloads = item.source.downloads, droppedFrameCount = statistics.framesDropped
        updateLog(of: item, at: position) { log in
            log.advance(to: position, droppedFrameCount: droppedFrameCount, now: now)
            return log.update(downloads)
        }
    }

    /// Counts playback up to the start of the access log's next event, if playback has just reached that start.
    mutating func advanceLog(of item: PlayingItem?, _ clock: PlaybackClock) {
        guard let item, let nextLogEventTime, clock.time(at: MonotonicTime.now) >= nextLogEventTime else { return }
        updateLog(of: item, clock)
    }

    /// Changes the item's access log, and notifies observers of new events.
    ///
    /// - Parameter change: Returns the number of new events.
    private mutating func updateLog(
        of item: PlayingItem, at position: Int64, _ change: (inout PlaybackLog) -> Int
    ) {
        let result = item.updateItemState { state in (change(&state.log), state.log.nextEventStart(after: position)) }
        nextLogEventTime = result?.1
        for _ in 0..<(result?.0 ?? 0) { core.notify(.accessLogged(item.playerItem)) }
    }

    /// Ends the current period in the item's access log.
    ///
    /// - Parameter clock: The item's clock; nil if the clock already shows the time of another item.
    func endLogPeriod(_ item: PlayingItem, _ clock: PlaybackClock?) {
        let now = MonotonicTime.now
        let byteCount = item.source.localByteCount, downloads = item.source.downloads
        let count = item.updateItemState { state in
            defer {
                state.log.closePeriod(
                    at: clock?.time(at: now), byteCount: byteCount, droppedFrameCount: statistics.framesDropped,
                    now: now)
            }
            // First add the events of variants that were downloaded a moment ago: they belong to the period that ends
            // now.
            return state.log.update(downloads)
        }
        for _ in 0..<(count ?? 0) { core.notify(.accessLogged(item.playerItem)) }
    }

    /// Adds an error to the item's error log.
    func logError(_ item: PlayingItem, _ error: MediaError) {
        item.updateItemState { $0.log.recordError(uri: item.playerItem.location, code: 0, error.message) }
        core.notify(.errorLogged(item.playerItem))
    }

    /// Adds a failed request to the item's error log.
    func logFailure(_ item: PlayingItem, _ failure: TransferFailure) {
        item.updateItemState { $0.log.recordFailure(failure) }
        core.notify(.errorLogged(item.playerItem))
    }

    /// Returns the properties of the item that each event of its access log contains.
    private static func description(of item: PlayingItem) -> PlaybackLog.Item {
        var description = PlaybackLog.Item(uri: item.playerItem.location)
        if item.source.streamStatus != nil { description.type = item.info?.duration == nil ? "LIVE" : "VOD" }
        return description
    }
}
