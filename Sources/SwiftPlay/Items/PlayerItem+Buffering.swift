import MediaPipeline
import SystemCalls

/// The loaded media and the steps and rates that are possible. While an item is not open, the ranges are empty and the
/// other properties false.
extension PlayerItem {
    /// The range that is loaded, from the current time.
    public var loadedTimeRanges: [MediaTimeRange] {
        guard let buffering = state.withLock({ $0.source })?.buffering else { return [] }
        let now = currentTime().nanoseconds ?? 0
        let end = buffering.hasReadAll ? duration.nanoseconds : buffering.readUntil
        guard let end, end > now else { return [] }
        return [MediaTimeRange(start: MediaTime(nanoseconds: now), end: MediaTime(nanoseconds: end))]
    }

    /// The ranges within which seeks are possible.
    public var seekableTimeRanges: [MediaTimeRange] {
        guard isSeekable, duration.isNumeric else { return [] }
        return [MediaTimeRange(start: .zero, duration: duration)]
    }

    /// Whether no media is loaded.
    public var isPlaybackBufferEmpty: Bool { state.withLock { $0.source }?.buffering.isEmptyForPlaying ?? true }
    /// Whether reading is paused, because enough media or all media is loaded.
    public var isPlaybackBufferFull: Bool { state.withLock { $0.source }?.buffering.isFullForPlaying ?? false }
    /// Whether enough media is loaded to play without a stall.
    public var isPlaybackLikelyToKeepUp: Bool { state.withLock { $0.source }?.buffering.isLikelyToKeepUp ?? false }

    /// Whether ``step(byCount:)`` can show the next frame.
    public var canStepForward: Bool { status == .readyToPlay && hasVideo }
    /// Whether ``step(byCount:)`` can show the previous frame.
    public var canStepBackward: Bool { canStepForward && isSeekable }
    /// Whether rates above 1 are possible.
    public var canPlayFastForward: Bool { status == .readyToPlay }
    /// Whether rates between 0 and 1 are possible.
    public var canPlaySlowForward: Bool { status == .readyToPlay }
    /// Whether negative rates are possible: never.
    public var canPlayReverse: Bool { false }
    /// Whether rates between -1 and 0 are possible: never.
    public var canPlaySlowReverse: Bool { false }
    /// Whether rates below -1 are possible: never.
    public var canPlayFastReverse: Bool { false }
}

extension BufferingState {
    var isEmptyForPlaying: Bool { isEmpty && !hasReadAll }
    var isFullForPlaying: Bool { isFull || hasReadAll }
    /// The media that must be loaded before playback resumes, in nanoseconds: of a file, and of an address. If reading
    /// is slower than playback, only a pause reaches it.
    private static let enough: Int64 = 500_000_000
    private static let enoughOfAddress: Int64 = 2_000_000_000
    var isLikelyToKeepUp: Bool { isFullForPlaying || readAhead >= (isRemote ? Self.enoughOfAddress : Self.enough) }
}

extension PlayerItem {
    /// Returns the access log; nil before playback has started.
    public func accessLog() -> AccessLog? {
        let (log, source) = state.withLock { ($0.log, $0.source) }
        let events = log.snapshot(bytes: source?.buffering.bytesRead, at: MonotonicTime.now)
        return events.isEmpty ? nil : AccessLog(events: events)
    }

    /// Returns the error log; nil if there was no error or warning.
    public func errorLog() -> ErrorLog? {
        let errors = state.withLock { $0.log.errors }
        return errors.isEmpty ? nil : ErrorLog(events: errors)
    }
}
