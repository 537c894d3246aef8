import FoundationEssentials
import MediaPipeline

/// The settings of an item for live streams and for reading ahead.
struct ReadingPreferences: Sendable {
    /// See ``PlayerItem/preferredForwardBufferDuration``; in nanoseconds, nil for the usual duration.
    var forwardBufferDuration: Int64?
    /// See ``PlayerItem/canUseNetworkResourcesForLiveStreamingWhilePaused``.
    var usesNetworkWhilePaused = false
    /// See ``PlayerItem/configuredTimeOffsetFromLive``; in nanoseconds, nil for the recommended offset.
    var liveOffset: Int64?
    /// See ``PlayerItem/automaticallyPreservesTimeOffsetFromLive``.
    var preservesLiveOffset = false
    /// See ``PlayerItem/startsOnFirstEligibleVariant``.
    var startsOnFirstVariant = false
}

/// Live streams, dates and reading ahead.
extension PlayerItem {
    /// The duration of media that is read ahead, in seconds (AVPlayerItem.preferredForwardBufferDuration); 0, the
    /// default, for the usual duration: 30 s from the network, 1 s from a file. A short duration saves memory and makes
    /// stalls more likely. The memory for media that was read ahead is limited to 64 MB in any case. A change takes
    /// effect at once.
    public var preferredForwardBufferDuration: TimeInterval {
        get { state.withLock { Double($0.readingPreferences.forwardBufferDuration ?? 0) / 1e9 } }
        set {
            let duration = newValue > 0 ? MediaTime(seconds: newValue).nanoseconds : nil
            changeReadingPreferences { $0.forwardBufferDuration = duration }
        }
    }

    /// Whether the playlist of a live stream is loaded again while playback is paused
    /// (AVPlayerItem.canUseNetworkResourcesForLiveStreamingWhilePaused), so that ``seekableTimeRanges`` is up to date;
    /// false by default.
    public var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { state.withLock { $0.readingPreferences.usesNetworkWhilePaused } }
        set { changeReadingPreferences { $0.usesNetworkWhilePaused = newValue } }
    }

    /// The distance from the end of a live stream at which playback starts, and to which a seek to
    /// ``MediaTime/positiveInfinity`` leads (AVPlayerItem.configuredTimeOffsetFromLive); ``MediaTime/invalid``, the
    /// default, for ``recommendedTimeOffsetFromLive`` or the start that the playlist prefers. Smaller offsets make
    /// stalls more likely.
    public var configuredTimeOffsetFromLive: MediaTime {
        get { state.withLock { $0.readingPreferences.liveOffset.map(MediaTime.init(nanoseconds:)) ?? .invalid } }
        set { changeReadingPreferences { $0.liveOffset = newValue.nanoseconds.map { max(0, $0) } } }
    }

    /// The distance from the end of a live stream that its server recommends
    /// (AVPlayerItem.recommendedTimeOffsetFromLive): the playlist's `HOLD-BACK`, or three target durations.
    /// ``MediaTime/invalid`` until the item is ready, and for items that are not live streams.
    public var recommendedTimeOffsetFromLive: MediaTime {
        guard let window = segmentWindow, !window.playlist.isComplete else { return .invalid }
        return MediaTime(nanoseconds: window.holdBack)
    }

    /// Whether playback of a live stream skips forward after a stall that was longer than a target duration, so that
    /// its distance from the end of the stream stays the same (AVPlayerItem.automaticallyPreservesTimeOffsetFromLive);
    /// false by default.
    public var automaticallyPreservesTimeOffsetFromLive: Bool {
        get { state.withLock { $0.readingPreferences.preservesLiveOffset } }
        set { changeReadingPreferences { $0.preservesLiveOffset = newValue } }
    }

    /// Returns the date of the current time (AVPlayerItem.currentDate()), by the dates in the playlist of a stream
    /// (`EXT-X-PROGRAM-DATE-TIME`); nil if the playlist contains no dates, or if this is not the current item of a
    /// player.
    public func currentDate() -> Date? {
        guard let time = currentTime().nanoseconds, let date = segmentWindow?.date(at: time) else { return nil }
        return Date(timeIntervalSince1970: Double(date) / 1e9)
    }

    /// Seeks to a date (AVPlayerItem.seek(to:completionHandler:)), by the dates in the playlist of a stream.
    ///
    /// - Parameters:
    ///   - date: A date within ``seekableTimeRanges``.
    ///   - completionHandler: See ``Player/seek(to:toleranceBefore:toleranceAfter:completionHandler:)``.
    /// - Returns: Whether the stream contains the date; if not, the handler receives `false` before this method
    ///   returns.
    @discardableResult
    public func seek(to date: Date, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) -> Bool {
        // Refuse dates more than 285 years before or after 1970: in nanoseconds they might not fit into 64 bits.
        let seconds = date.timeIntervalSince1970
        guard abs(seconds) < 9e9, let window = segmentWindow, let player,
            let position = window.position(ofDate: Int64((seconds * 1e9).rounded())), position >= 0,
            position <= window.seekableRange.upperBound
        else {
            completionHandler(false)
            return false
        }
        player.seek(
            item: self, to: MediaTime(nanoseconds: position), toleranceBefore: .zero, toleranceAfter: .zero,
            completionHandler)
        return true
    }

    /// Returns the time nearest to `seconds` to which a seek is possible. Both times are in seconds.
    package func seekableTime(nearestTo seconds: Double) -> Double {
        let end = duration.seconds
        guard let range = seekableTimeRanges.first else { return max(0, end.isFinite ? min(seconds, end) : seconds) }
        return min(max(seconds, range.start.seconds), range.end.seconds)
    }

    /// The newest position at which a live stream can be played, in nanoseconds; nil for other items.
    var newestPosition: Int64? {
        guard let window = segmentWindow, !window.playlist.isComplete else { return nil }
        return window.livePosition(offset: state.withLock { $0.readingPreferences.liveOffset })
    }

    /// The tolerance for positions that were rounded because programs stored them in seconds, in nanoseconds.
    private static let roundingTolerance: Int64 = 1_000_000

    /// Returns whether a position of a live stream, in nanoseconds, lies within ``seekableTimeRanges``.
    func isSeekable(to position: Int64) -> Bool {
        guard let range = segmentWindow?.seekableRange else { return false }
        return position >= range.lowerBound - Self.roundingTolerance
            && position <= range.upperBound + Self.roundingTolerance
    }

    /// The segments of a stream that can be played; nil unless a player has opened a stream.
    var segmentWindow: SegmentWindow? { state.withLock { $0.source }?.segmentWindow }

    /// Whether the item is a live stream that has not ended.
    package var isLive: Bool { segmentWindow?.playlist.isComplete == false }

    /// Changes the settings for live streams and for reading ahead, and applies them to the player of the item.
    private func changeReadingPreferences(_ body: (inout ReadingPreferences) -> Void) {
        state.withLock { body(&$0.readingPreferences) }
        player?.applyChange(of: .reading)
    }
}
