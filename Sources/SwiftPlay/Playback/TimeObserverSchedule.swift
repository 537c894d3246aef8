/// Decides when a time observer is called: a pure value.
struct TimeObserverSchedule: Sendable, Equatable {
    /// The times at which the observer is called.
    enum Kind: Sendable, Equatable {
        /// At multiples of an interval of item time (nanoseconds), and at jumps, starts and stops.
        case periodic(Int64)
        /// At these media times in ascending order (nanoseconds), when playback passes them.
        case boundary([Int64])
    }

    /// Whether the observer is called at regular intervals or at given times.
    let kind: Kind
    /// The latest time that playback has reached since the last jump; nil before the first update.
    private var latestTime: Int64?

    init(every interval: Int64) { kind = .periodic(max(interval, 1_000_000)) }
    init(at times: [Int64]) { kind = .boundary(times.sorted()) }

    /// Records that playback has advanced to the item's time `time`.
    ///
    /// - Returns: Whether to call the observer.
    mutating func advance(to time: Int64) -> Bool {
        guard let latestTime else {
            self.latestTime = time
            return false
        }
        // A correction may set the player's clock back. Times that playback has passed before do not count twice.
        guard time > latestTime else { return false }
        self.latestTime = time
        return switch kind {
        case .periodic(let interval): Self.flooredQuotient(time, interval) != Self.flooredQuotient(latestTime, interval)
        case .boundary(let times): times.contains { $0 > latestTime && $0 <= time }
        }
    }

    /// Records that the item's time has jumped to `time`.
    ///
    /// - Returns: Whether to call the observer.
    mutating func jump(to time: Int64) -> Bool {
        latestTime = time
        return isPeriodic
    }

    /// Whether the observer is called when playback starts or stops.
    var respondsToRateChange: Bool { isPeriodic }

    /// Whether the observer is called at regular intervals.
    private var isPeriodic: Bool { if case .periodic = kind { true } else { false } }

    /// Returns the next time after `time` at which the observer is to be called, in nanoseconds of media time; nil if
    /// there is none.
    func nextTime(after time: Int64) -> Int64? {
        let startTime = max(time, latestTime ?? time)
        switch kind {
        case .periodic(let interval):
            let intervalCount = Self.flooredQuotient(startTime, interval) + 1
            let (product, overflows) = intervalCount.multipliedReportingOverflow(by: interval)
            return overflows ? nil : product
        case .boundary(let times): return times.first { $0 > startTime }
        }
    }

    /// Returns the quotient rounded towards negative infinity.
    private static func flooredQuotient(_ a: Int64, _ b: Int64) -> Int64 { a >= 0 ? a / b : -1 - (-1 - a) / b }
}
