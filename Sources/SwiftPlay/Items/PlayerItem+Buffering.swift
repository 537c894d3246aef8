import MediaPipeline

extension PlayerItem {
    /// The loaded range, from the current time (AVPlayerItem.loadedTimeRanges). Empty until the item is open.
    public var loadedTimeRanges: [MediaTimeRange] {
        guard let buffering = state.withLock({ $0.source })?.buffering else { return [] }
        let position = currentTime().nanoseconds ?? 0
        let end = buffering.hasReadAll ? duration.nanoseconds : buffering.readUntil
        guard let end, end > position else { return [] }
        return [MediaTimeRange(start: MediaTime(nanoseconds: position), end: MediaTime(nanoseconds: end))]
    }

    /// The ranges in which seeks are possible (AVPlayerItem.seekableTimeRanges). Empty until the item is ready.
    ///
    /// The range of a live stream ends at the newest position that can be played (``recommendedTimeOffsetFromLive``).
    /// Each time the playlist is loaded, the end moves on, and so does the start unless the server keeps all segments.
    /// While playback is paused, the playlist is loaded only if ``canUseNetworkResourcesForLiveStreamingWhilePaused``
    /// is set.
    public var seekableTimeRanges: [MediaTimeRange] {
        if status == .readyToPlay, let range = segmentWindow?.seekableRange {
            return [
                MediaTimeRange(
                    start: MediaTime(nanoseconds: max(0, range.lowerBound)),
                    end: MediaTime(nanoseconds: max(0, range.upperBound)))
            ]
        }
        guard isSeekable, duration.isNumeric else { return [] }
        return [MediaTimeRange(start: .zero, duration: duration)]
    }

    /// The position up to which an item from the network is loaded ahead of playback; nil if nothing is loaded ahead,
    /// and for local files, of which only a second is read ahead by default.
    package var loadedEnd: MediaTime? {
        bufferingState?.isRemote == true ? loadedTimeRanges.last?.end : nil
    }

    /// Whether no media is loaded (AVPlayerItem.isPlaybackBufferEmpty). True until the item is open, false after all
    /// media has been read.
    public var isPlaybackBufferEmpty: Bool { state.withLock { $0.source }?.buffering.isEmptyForPlaying ?? true }
    /// Whether reading is paused, because enough media or all media is loaded (AVPlayerItem.isPlaybackBufferFull).
    public var isPlaybackBufferFull: Bool { state.withLock { $0.source }?.buffering.isFullForPlaying ?? false }
    /// Whether enough media is loaded to play without a stall (AVPlayerItem.isPlaybackLikelyToKeepUp).
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
    /// Whether no media is loaded although more media follows.
    var isEmptyForPlaying: Bool { isEmpty && !hasReadAll }
    /// Whether reading is paused, because the limit of loaded media is reached or all media has been read.
    var isFullForPlaying: Bool { isFull || hasReadAll }
    /// The duration of media that must be loaded from a file before playback resumes, in nanoseconds. If reading is
    /// slower than playback, playback pauses until this much is loaded.
    private static let resumeThresholdForFiles: Int64 = 500_000_000
    /// The duration of media that must be loaded from a network address before playback resumes, in nanoseconds.
    private static let resumeThresholdForNetwork: Int64 = 2_000_000_000
    /// The loaded part of the media that must be loaded before playback resumes, in percent.
    package var rebufferingPercent: Int {
        if isLikelyToKeepUp { return 100 }
        return Int(min(max(readAhead, 0), resumeThreshold) * 100 / resumeThreshold)
    }

    /// The duration of media that must be loaded before playback resumes, in nanoseconds.
    private var resumeThreshold: Int64 {
        guard isRemote else { return Self.resumeThresholdForFiles }
        return max(1, min(liveTargetDuration ?? .max, Self.resumeThresholdForNetwork))
    }

    /// Whether enough media is loaded to play without a stall.
    var isLikelyToKeepUp: Bool {
        isFullForPlaying || readAhead >= resumeThreshold
    }
}
