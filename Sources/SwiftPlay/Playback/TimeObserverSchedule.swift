/// Decides when a time observer is called: a pure value.
struct TimeObserverSchedule: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// At multiples of an interval of item time (nanoseconds), and at jumps, starts and stops.
        case periodic(Int64)
        /// At these media times in ascending order (nanoseconds), when playback passes them.
        case boundary([Int64])
    }

    let kind: Kind
    /// The latest time reached since the last jump; nil before the first.
    private var last: Int64?

    init(every interval: Int64) { kind = .periodic(max(interval, 1_000_000)) }
    init(at times: [Int64]) { kind = .boundary(times.sorted()) }

    /// Handles progress by playback to `time`.
    ///
    /// - Returns: Whether to call the observer.
    mutating func advance(to time: Int64) -> Bool {
        guard let last else {
            self.last = time
            return false
        }
        // A clock that is corrected backwards does not pass a time twice.
        guard time > last else { return false }
        self.last = time
        return switch kind {
        case .periodic(let interval): Self.floor(time, interval) != Self.floor(last, interval)
        case .boundary(let times): times.contains { $0 > last && $0 <= time }
        }
    }

    /// Handles a change of the time by a jump.
    ///
    /// - Returns: Whether to call the observer.
    mutating func jump(to time: Int64) -> Bool {
        last = time
        return isPeriodic
    }

    /// Whether the observer is called when playback starts or stops.
    var noticesRate: Bool { isPeriodic }

    private var isPeriodic: Bool { if case .periodic = kind { true } else { false } }

    /// Returns the next time after `time` at which a call is due, media nanoseconds.
    func next(after time: Int64) -> Int64? {
        let from = max(time, last ?? time)
        switch kind {
        case .periodic(let interval):
            let (product, overflows) = (Self.floor(from, interval) + 1).multipliedReportingOverflow(by: interval)
            return overflows ? nil : product
        case .boundary(let times): return times.first { $0 > from }
        }
    }

    private static func floor(_ a: Int64, _ b: Int64) -> Int64 { a >= 0 ? a / b : -1 - (-1 - a) / b }
}
