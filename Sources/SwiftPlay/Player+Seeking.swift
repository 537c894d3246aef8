import MediaPipeline
import SystemCalls

extension Player {
    /// Goes to the frame that is seen at `time`.
    ///
    /// A seek that comes while another one runs ends that one: its handler is called with `false` before this returns.
    /// An item that is not ready yet goes there when it is. ``rate`` stays as it is.
    ///
    /// - Parameter completionHandler: called once, on a thread of the player's or on the caller's: `true` when the
    ///   frame is on screen, `false` when another seek came in between, there is no item, nothing can be sought in it,
    ///   or `time` is none or lies outside of it (the position stays as it was).
    public func seek(to time: MediaTime, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }) {
        seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: completionHandler)
    }

    /// As ``seek(to:completionHandler:)``; the place may lie anywhere from `time - toleranceBefore` to `time +
    /// toleranceAfter`, which is faster: it is a keyframe in there, the last one at or before `time` if possible, else
    /// the first one after it. Where there is none it is `time` itself. With a `toleranceBefore` of `.positiveInfinity`
    /// it is the keyframe at or before `time`.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        guard let item = currentItem else { return completionHandler(false) }
        core.seek(
            item: item, to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter, completionHandler)
    }

    /// As ``seek(to:completionHandler:)``.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    /// As ``seek(to:toleranceBefore:toleranceAfter:completionHandler:)``.
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
    func seek(
        item: PlayerItem, to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        _ completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        guard let target = time.nanoseconds, target >= 0, item.status != .failed,
            let precision = SeekRequest.Precision(at: target, before: toleranceBefore, after: toleranceAfter)
        else { return completionHandler(false) }
        if let end = item.duration.nanoseconds, target > end { return completionHandler(false) }
        if item.status == .readyToPlay, !item.isSeekable { return completionHandler(false) }
        seek(item, to: target, precision, completionHandler)
    }

    /// The target while a seek runs.
    var currentTime: MediaTime {
        MediaTime(nanoseconds: snapshot.withLock { $0.seekTarget ?? $0.published.clock.time(at: MonotonicTime.now) })
    }
}

extension SeekRequest.Precision {
    /// What tolerances mean for a seek to `target`; nil for tolerances that are invalid or negative.
    init?(at target: Int64, before: MediaTime, after: MediaTime) {
        guard before >= .zero, after >= .zero else { return nil }
        guard let earlier = before.nanoseconds else {
            self = .keyframe
            return
        }
        let later = after.nanoseconds ?? .max
        self =
            earlier == 0 && later == 0
            ? .exact : .near(max(0, target - earlier)...(later > .max - target ? .max : target + later))
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
        guard let player else { return completionHandler(false) }
        player.seek(
            item: self, to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter, completionHandler)
    }

    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await withCheckedContinuation { continuation in seek(to: time) { continuation.resume(returning: $0) } }
    }

    /// Seeks that are not over are over, with `false`; one that has begun still moves the position.
    public func cancelPendingSeeks() { player?.cancelPendingSeeks() }

    /// As ``Player/step(byCount:)``.
    public func step(byCount count: Int) { player?.step(byCount: count) }

    /// As ``Player/currentTime()``; invalid unless it is some player's current item.
    public func currentTime() -> MediaTime { player?.currentTime ?? .invalid }
}
