import MediaPipeline
import SystemCalls

extension Player {
    /// Seeks quickly to a keyframe near `time`: the last keyframe at or before `time`
    /// (AVPlayer.seek(to:completionHandler:)).
    ///
    /// The same as a seek with infinite tolerances. For the frame at exactly `time`, pass tolerances of zero to
    /// ``seek(to:toleranceBefore:toleranceAfter:completionHandler:)``.
    ///
    /// - Parameters:
    ///   - time: The time on the item's timeline.
    ///   - completionHandler: See ``seek(to:toleranceBefore:toleranceAfter:completionHandler:)``.
    public func seek(to time: MediaTime, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        seek(
            to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity,
            completionHandler: completionHandler)
    }

    /// Seeks to a time between `time - toleranceBefore` and `time + toleranceAfter`. The time
    /// ``MediaTime/positiveInfinity`` leads to the newest position of a live stream, and is invalid for other items.
    ///
    /// The player chooses a keyframe in that range, because that is fastest: the last keyframe at or before `time`,
    /// else the first keyframe after `time`. If the range contains no keyframe, the player seeks to exactly `time`, as
    /// it does with tolerances of zero.
    ///
    /// A new seek cancels a seek that is under way: the handler of the cancelled seek receives `false` before this
    /// method returns. If the item is not ready yet, the player seeks when the item is ready. ``rate`` does not change.
    ///
    /// - Parameters:
    ///   - time: The time on the item's timeline.
    ///   - toleranceBefore: The maximum time by which the result may precede `time`. With
    ///     ``MediaTime/positiveInfinity`` the result is the last keyframe at or before `time`.
    ///   - toleranceAfter: The maximum time by which the result may follow `time`.
    ///   - completionHandler: Called once, on a thread of the player or of the caller. Receives `true` when the frame
    ///     is on screen; `false` if another seek or ``PlayerItem/cancelPendingSeeks()`` cancels this seek, if there is
    ///     no item or the item is not seekable, or if `time` or a tolerance is invalid or `time` lies outside the item.
    ///     The position then stays as it was.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        guard let item = currentItem else { return completionHandler(false) }
        core.seek(
            item: item, to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter, completionHandler)
    }

    /// Seeks quickly to a keyframe near `time`.
    ///
    /// - Parameter time: The time on the item's timeline.
    /// - Returns: The value that the handler of ``seek(to:completionHandler:)`` receives.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks to a time between `time - toleranceBefore` and `time + toleranceAfter`.
    ///
    /// - Parameters:
    ///   - time: The time on the item's timeline.
    ///   - toleranceBefore: The maximum time by which the result may precede `time`.
    ///   - toleranceAfter: The maximum time by which the result may follow `time`.
    /// - Returns: The value for the handler of ``seek(to:toleranceBefore:toleranceAfter:completionHandler:)``.
    @discardableResult
    public func seek(to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) {
                continuation.resume(returning: $0)
            }
        }
    }
}

extension PlayerCore {
    /// Checks the target and the tolerances, and starts the seek if they are valid; else calls `completionHandler` with
    /// `false`.
    func seek(
        item: PlayerItem, to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        _ completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        guard let target = time == .positiveInfinity ? item.newestPosition : time.nanoseconds, target >= 0,
            item.status != .failed,
            let precision = SeekRequest.Precision(
                at: target, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter)
        else { return completionHandler(false) }
        if let end = item.duration.nanoseconds, target > end { return completionHandler(false) }
        if item.isLive, time != .positiveInfinity, !item.isSeekable(to: target) { return completionHandler(false) }
        if item.status == .readyToPlay, !item.isSeekable { return completionHandler(false) }
        seek(item, to: target, precision, completionHandler)
    }

    /// The current time of the item, or the target while a seek is under way.
    var currentTime: MediaTime {
        MediaTime(nanoseconds: snapshot.withLock { $0.seekTarget ?? $0.published.clock.time(at: MonotonicTime.now) })
    }
}

/// The conversion of AVFoundation's tolerances into a precision for the demuxer and decoder.
extension SeekRequest.Precision {
    /// Creates the precision for a seek to `target` with the given tolerances; nil if a tolerance is invalid or
    /// negative.
    init?(at target: Int64, toleranceBefore: MediaTime, toleranceAfter: MediaTime) {
        guard toleranceBefore >= .zero, toleranceAfter >= .zero else { return nil }
        guard let before = toleranceBefore.nanoseconds else {
            self = .keyframe
            return
        }
        let after = toleranceAfter.nanoseconds ?? .max
        self =
            before == 0 && after == 0
            ? .exact : .near(max(0, target - before)...(after > .max - target ? .max : target + after))
    }
}

extension PlayerItem {
    /// Seeks quickly to a keyframe near `time`, as ``Player/seek(to:completionHandler:)`` does.
    ///
    /// - Parameters:
    ///   - time: The time on this item's timeline.
    ///   - completionHandler: See ``Player/seek(to:toleranceBefore:toleranceAfter:completionHandler:)``. Receives
    ///     `false` also if this is not the current item of a player.
    public func seek(to time: MediaTime, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        seek(
            to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity,
            completionHandler: completionHandler)
    }

    /// Seeks to a time between `time - toleranceBefore` and `time + toleranceAfter`, as
    /// ``Player/seek(to:toleranceBefore:toleranceAfter:completionHandler:)`` does.
    ///
    /// - Parameters:
    ///   - time: The time on this item's timeline.
    ///   - toleranceBefore: The maximum time by which the result may precede `time`.
    ///   - toleranceAfter: The maximum time by which the result may follow `time`.
    ///   - completionHandler: See ``Player/seek(to:toleranceBefore:toleranceAfter:completionHandler:)``. Receives
    ///     `false` also if this is not the current item of a player.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        guard let player else { return completionHandler(false) }
        player.seek(
            item: self, to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter, completionHandler)
    }

    /// Seeks quickly to a keyframe near `time`.
    ///
    /// - Parameter time: The time on this item's timeline.
    /// - Returns: The value that the handler of ``seek(to:completionHandler:)->()`` receives.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await withCheckedContinuation { continuation in seek(to: time) { continuation.resume(returning: $0) } }
    }

    /// Cancels all pending seeks (AVPlayerItem.cancelPendingSeeks): their completion handlers receive `false` before
    /// this method returns. A seek that has begun still moves the position.
    public func cancelPendingSeeks() { player?.cancelPendingSeeks() }

    /// Pauses the player and shows another frame (AVPlayerItem.step(byCount:)). Does nothing unless this is the current
    /// item of a player.
    ///
    /// - Parameter count: The number of frames to go forward, or backward if negative.
    public func step(byCount count: Int) { player?.step(byCount: count) }

    /// Returns the current time, or the target while a seek is under way (AVPlayerItem.currentTime());
    /// ``MediaTime/invalid`` unless this is the current item of a player.
    public func currentTime() -> MediaTime { player?.currentTime ?? .invalid }
}
