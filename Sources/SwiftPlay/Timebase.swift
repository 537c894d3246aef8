import SystemCalls

/// A clock that a program controls (CMTimebase). Its time advances `rate` times as fast as the host's clock. Safe to
/// use from any thread.
public final class Timebase: Sendable {
    /// The mutable part of the clock.
    private struct State {
        /// The relation between the clock's time and the host's time.
        var clock = PlaybackClock()
        /// The callbacks that run after each change of the clock, by their registration numbers.
        var watchers: [UInt64: @Sendable () -> Void] = [:]
        /// The registration number of the next callback.
        var nextWatcherNumber: UInt64 = 0
    }

    private let state = Monitor(State())

    /// Creates a stopped clock at time zero.
    public init() {}

    /// The current time of the host's clock (CLOCK_MONOTONIC).
    public static var hostTime: MediaTime { MediaTime(nanoseconds: MonotonicTime.now) }

    /// The current time. Setting it makes the clock jump; a time that is not numeric is ignored.
    public var time: MediaTime {
        get { MediaTime(nanoseconds: clock.time(at: MonotonicTime.now)) }
        set { if let time = newValue.nanoseconds { change { $0.set(time, hostTime: MonotonicTime.now) } } }
    }

    /// The number of seconds by which the clock advances in one second of the host's clock: 0 (stopped) to 100.
    public var rate: Double {
        get { clock.rate }
        set { change { $0.changeRate(Self.bounded(newValue), at: MonotonicTime.now) } }
    }

    /// Sets rate and time together. Ignored if `time` is not numeric.
    ///
    /// - Parameters:
    ///   - rate: See ``rate``.
    ///   - time: See ``time``.
    public func set(rate: Double, time: MediaTime) {
        guard let time = time.nanoseconds else { return }
        change { $0.start(at: time, hostTime: MonotonicTime.now, rate: Self.bounded(rate)) }
    }

    /// Returns `rate` clamped to 0…100. NaN and infinity become 0.
    private static func bounded(_ rate: Double) -> Double { rate.isFinite ? min(max(rate, 0), 100) : 0 }

    /// Changes the clock, and calls the callbacks that ``watch(_:)`` added.
    private func change(_ change: (inout PlaybackClock) -> Void) {
        let watchers = state.withLock { state in
            change(&state.clock)
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher() }
    }

    /// A copy of the clock's present state, for computing times without locking.
    var clock: PlaybackClock { state.withLock { $0.clock } }

    /// Adds a callback that runs after each change of the clock, on the thread that made the change. Returns its
    /// registration number.
    func watch(_ watcher: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            defer { state.nextWatcherNumber += 1 }
            state.watchers[state.nextWatcherNumber] = watcher
            return state.nextWatcherNumber
        }
    }

    /// Removes the callback with a registration number.
    func removeWatcher(_ number: UInt64) { state.withLock { _ = $0.watchers.removeValue(forKey: number) } }
}
