/// Decides where an item ends, and what happens there: a pure value. Times are media nanoseconds unless stated.
enum EndPlan {
    typealias Loop = (start: Int64, end: Int64)

    enum Outcome: Hashable, Sendable {
        /// The end was reported before.
        case none
        /// Not a single frame could be decoded.
        case fail
        /// Playing goes back to this time.
        case loop(to: Int64)
        case end([Action])
    }

    enum Action: Hashable, Sendable {
        /// Notify observers of the end.
        case notify
        case pause
        case advance
        /// The clock runs on behind the end.
        case runOn
    }

    /// How far behind its end a loop goes back, nanoseconds: playing that is further on was moved there.
    static let loopTolerance: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - isReported: whether the end was reported since the last seek.
    ///   - isUnplayable: whether the item has video, of which no frame was shown, and no audio for the device.
    ///   - loopStart: see ``loopStart(_:duration:isSeekable:)``.
    static func reached(
        isReported: Bool, isUnplayable: Bool, loopStart: Int64?, action: PlayerActionAtItemEnd
    ) -> Outcome {
        guard !isReported else { return .none }
        guard !isUnplayable else { return .fail }
        if let loopStart { return .loop(to: loopStart) }
        // The player pauses before observers are notified: one that plays on must not be paused after that.
        return .end(action == .pause ? [.pause, .notify] : [.notify, self.action(action)])
    }

    static func action(_ action: PlayerActionAtItemEnd) -> Action {
        switch action {
        case .advance: .advance
        case .pause: .pause
        case .none: .runOn
        }
    }

    /// Whether another setting acts on the item now: only `.none` lets the clock run on behind the end.
    static func actsAtOnce(isReported: Bool, phase: PlaybackPhase?) -> Bool { isReported && phase == .playing }

    /// Where an item ends as far as that is known: where the program set it, by the item's duration at the latest.
    static func end(chosen: Int64?, duration: Int64?) -> Int64? {
        guard let duration else { return chosen }
        return chosen.map { min($0, duration) } ?? duration
    }

    /// The first time that is not shown, before the item's own end; nil where there is none. Playing that is behind the
    /// end of the loop plays on.
    static func firstHidden(chosen: Int64?, loop: Loop?, time: Int64) -> Int64? {
        if let chosen { return chosen }
        guard let loop, loop.end != .max, loop.end > time else { return nil }
        return loop.end
    }

    /// Where the loop goes back to; nil where there is none, or the item cannot go back.
    static func loopStart(_ loop: Loop?, duration: Int64?, isSeekable: Bool) -> Int64? {
        guard let loop, isSeekable, loop.start < duration ?? .max else { return nil }
        return loop.start
    }

    /// Whether playing has reached the end of the loop.
    ///
    /// - Parameter now: host time.
    static func hasReachedEnd(of loop: Loop?, _ clock: PlaybackClock, now: Int64) -> Bool {
        guard let loop, loop.end != .max, let at = clock.hostTime(of: loop.end) else { return false }
        return at <= now && clock.time(at: now) - loop.end < loopTolerance
    }

    /// The time at which a player that pauses at the end stands; nil: where the clock is. The picture may be longer
    /// than the container says.
    ///
    /// - Parameter pictureEnd: the end of the last frame; nil: no frame was shown.
    static func pausedTime(chosen: Int64?, duration: Int64?, pictureEnd: Int64?) -> Int64? {
        guard let duration else { return nil }
        if let pictureEnd, pictureEnd > duration { return nil }
        return end(chosen: chosen, duration: duration)
    }
}
