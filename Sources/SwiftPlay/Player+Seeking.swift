import MediaPipeline
import SystemCalls

extension Player {
    /// Goes to the frame that is seen at `time`.
    ///
    /// A seek that comes while another one runs ends that one: its handler is called with `false` before this returns. An item that is not
    /// ready yet goes there when it is. ``rate`` stays as it is.
    ///
    /// - Parameter completionHandler: called once, on a thread of the player's or on the caller's: `true` when the frame is on screen,
    ///   `false` when another seek came in between, there is no item, nothing can be sought in it, or `time` is none or lies outside of it
    ///   (the position stays as it was).
    public func seek(to time: MediaTime, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
    }

    /// As ``seek(to:completionHandler:)``; the place may lie up to `toleranceBefore` before `time`, which is faster. With
    /// `.positiveInfinity` it is the keyframe at or before `time`.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        guard let item = currentItem, toleranceAfter >= .zero else { return completionHandler(false) }
        core.seek(item: item, to: time, toleranceBefore: toleranceBefore, completionHandler)
    }

    /// As ``seek(to:completionHandler:)``.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool { await seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }

    /// As ``seek(to:toleranceBefore:toleranceAfter:completionHandler:)``.
    @discardableResult
    public func seek(to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) { continuation.resume(returning: $0) }
        }
    }
}

extension PlayerCore {
    func seek(
        item: PlayerItem, to time: MediaTime, toleranceBefore: MediaTime, _ completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        guard let target = time.nanoseconds, target >= 0, item.status != .failed, toleranceBefore >= .zero else {
            return completionHandler(false)
        }
        if let end = item.duration.nanoseconds, target > end { return completionHandler(false) }
        if item.status == .readyToPlay, !item.isSeekable { return completionHandler(false) }
        // To the earliest place allowed: that leaves the fewest frames to be decoded and not shown.
        if let before = toleranceBefore.nanoseconds {
            seek(item, to: max(0, target - before), .exact, completionHandler)
        } else {
            seek(item, to: target, .keyframe, completionHandler)
        }
    }

    /// The target while a seek runs.
    var currentTime: MediaTime {
        MediaTime(nanoseconds: snapshot.withLock { $0.seekTarget ?? $0.clock.time(at: MonotonicTime.now) })
    }
}

extension PlayerItem {
    /// As ``Player/seek(to:completionHandler:)``; `false` unless it is some player's current item.
    public func seek(to time: MediaTime, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
    }

    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        guard let core = currentCore, toleranceAfter >= .zero else { return completionHandler(false) }
        core.seek(item: self, to: time, toleranceBefore: toleranceBefore, completionHandler)
    }

    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await withCheckedContinuation { continuation in seek(to: time) { continuation.resume(returning: $0) } }
    }

    /// Seeks that are not over are over, with `false`; one that has begun still moves the position.
    public func cancelPendingSeeks() { currentCore?.cancelPendingSeeks() }

    /// As ``Player/step(byCount:)``.
    public func step(byCount count: Int) { currentCore?.post(.step(count)) }

    /// As ``Player/currentTime()``; invalid unless it is some player's current item.
    public func currentTime() -> MediaTime { currentCore?.currentTime ?? .invalid }
}
