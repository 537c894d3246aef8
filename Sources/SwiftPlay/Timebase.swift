import SystemCalls

/// A clock that a program sets and lets run (CMTimebase): its time grows with the host's, `rate` times as fast. Any
/// thread.
public final class Timebase: Sendable {
    private struct State {
        var clock = PlaybackClock()
        var watchers: [UInt64: @Sendable () -> Void] = [:]
        var next: UInt64 = 0
    }

    private let state = Monitor(State())

    /// It stands at zero.
    public init() {}

    /// The host's clock (CLOCK_MONOTONIC), which is that of a layer without a timebase of its own.
    public static var hostTime: MediaTime { MediaTime(nanoseconds: MonotonicTime.now) }

    /// Now. Setting it is a jump; a time that is no number is passed over.
    public var time: MediaTime {
        get { MediaTime(nanoseconds: clock.time(at: MonotonicTime.now)) }
        set { if let time = newValue.nanoseconds { change { $0.set(time, host: MonotonicTime.now) } } }
    }

    /// Seconds of its own in a second of the host's; 0: it stands. Not below 0, and at most 100.
    public var rate: Double {
        get { clock.rate }
        set { change { $0.changeRate(Self.sound(newValue), at: MonotonicTime.now) } }
    }

    /// Both at once.
    public func set(rate: Double, time: MediaTime) {
        guard let time = time.nanoseconds else { return }
        change { $0.start(at: time, host: MonotonicTime.now, rate: Self.sound(rate)) }
    }

    private static func sound(_ rate: Double) -> Double { rate.isFinite ? min(max(rate, 0), 100) : 0 }

    private func change(_ change: (inout PlaybackClock) -> Void) {
        let watchers = state.withLock { state in
            change(&state.clock)
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher() }
    }

    var clock: PlaybackClock { state.withLock { $0.clock } }

    /// Calls `watcher` after each change, on the thread that made it.
    func watch(_ watcher: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            state.watchers[state.next] = watcher
            return state.next
        }
    }

    func removeWatcher(_ number: UInt64) { state.withLock { _ = $0.watchers.removeValue(forKey: number) } }
}
