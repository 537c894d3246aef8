/// When a time observer is called: a pure value that is told where playing is.
struct TimeObserverSchedule: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// At whole multiples, nanoseconds, of the item's time; at jumps, starts and stops.
        case periodic(Int64)
        /// At these moments, in order, where playing passes them by itself.
        case boundary([Int64])
    }

    let kind: Kind
    /// Where playing was furthest since the last jump; nil before the first.
    private var last: Int64?

    init(every interval: Int64) { kind = .periodic(max(interval, 1_000_000)) }
    init(at times: [Int64]) { kind = .boundary(times.sorted()) }

    /// Playing has come to `time` by itself.
    ///
    /// - Returns: whether to call.
    mutating func advance(to time: Int64) -> Bool {
        guard let last else {
            self.last = time
            return false
        }
        // A clock that is pulled back a little does not pass a moment twice.
        guard time > last else { return false }
        self.last = time
        return switch kind {
        case .periodic(let interval): Self.floor(time, interval) != Self.floor(last, interval)
        case .boundary(let times): times.contains { $0 > last && $0 <= time }
        }
    }

    /// The time became `time` otherwise than by playing.
    mutating func jump(to time: Int64) -> Bool {
        last = time
        return isPeriodic
    }

    /// Playing started or stopped.
    var noticesRate: Bool { isPeriodic }

    private var isPeriodic: Bool { if case .periodic = kind { true } else { false } }

    /// The next moment at which a call is due, when it is `time` now.
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
