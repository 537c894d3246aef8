import MediaPipeline
import SystemCalls

/// What can be played at once and where one can go. Looked up when asked for: while an item is not open all of it is
/// empty and false.
extension PlayerItem {
    /// What has been read: from where playing is on.
    public var loadedTimeRanges: [MediaTimeRange] {
        guard let buffering = state.withLock({ $0.source })?.buffering else { return [] }
        let now = currentTime().nanoseconds ?? 0
        let end = buffering.hasReadAll ? duration.nanoseconds : buffering.readUntil
        guard let end, end > now else { return [] }
        return [MediaTimeRange(start: MediaTime(nanoseconds: now), end: MediaTime(nanoseconds: end))]
    }

    /// Where ``seek(to:completionHandler:)`` can go.
    public var seekableTimeRanges: [MediaTimeRange] {
        guard isSeekable, duration.isNumeric else { return [] }
        return [MediaTimeRange(start: .zero, duration: duration)]
    }

    /// Nothing is there to be played.
    public var isPlaybackBufferEmpty: Bool { state.withLock { $0.source }?.buffering.isEmptyForPlaying ?? true }
    /// Reading rests since there is enough, or all.
    public var isPlaybackBufferFull: Bool { state.withLock { $0.source }?.buffering.isFullForPlaying ?? false }
    /// Playing would go on for a while.
    public var isPlaybackLikelyToKeepUp: Bool { state.withLock { $0.source }?.buffering.isLikelyToKeepUp ?? false }

    /// Whether ``step(byCount:)`` can show the next frame.
    public var canStepForward: Bool { status == .readyToPlay && hasVideo }
    /// Whether ``step(byCount:)`` can show the previous frame.
    public var canStepBackward: Bool { canStepForward && isSeekable }
    /// Whether rates above 1 are possible.
    public var canPlayFastForward: Bool { status == .readyToPlay }
    /// Whether rates between 0 and 1 are possible.
    public var canPlaySlowForward: Bool { status == .readyToPlay }
    /// Playing backwards is not offered.
    public var canPlayReverse: Bool { false }
    /// Whether rates between -1 and 0 are possible: never.
    public var canPlaySlowReverse: Bool { false }
    /// Whether rates below -1 are possible: never.
    public var canPlayFastReverse: Bool { false }
}

extension BufferingState {
    var isEmptyForPlaying: Bool { isEmpty && !hasReadAll }
    var isFullForPlaying: Bool { isFull || hasReadAll }
    /// Nanoseconds read ahead that let playing go on: of a file, and of an address. A reader that is slower than
    /// playing comes so far only by waiting.
    private static let enough: Int64 = 500_000_000
    private static let enoughOfAddress: Int64 = 2_000_000_000
    var isLikelyToKeepUp: Bool { isFullForPlaying || readAhead >= (isRemote ? Self.enoughOfAddress : Self.enough) }
}

extension PlayerItem {
    /// How playing went so far; nil before it has begun.
    public func accessLog() -> AccessLog? {
        let (log, source) = state.withLock { ($0.log, $0.source) }
        let events = log.snapshot(bytes: source?.buffering.bytesRead, at: MonotonicTime.now)
        return events.isEmpty ? nil : AccessLog(events: events)
    }

    /// What went wrong so far; nil where nothing did.
    public func errorLog() -> ErrorLog? {
        let errors = state.withLock { $0.log.errors }
        return errors.isEmpty ? nil : ErrorLog(events: errors)
    }
}
