/// The result of a background fetch, with the numbers of `UIBackgroundFetchResult`.
package enum FetchResult: UInt8, Hashable, Sendable, CaseIterable {
    case newData = 0
    case noData = 1
    case failed = 2
}

/// A finished background fetch, with what it used.
package struct FetchOutcome: Hashable, Sendable {
    package let result: FetchResult
    /// The time from the start to the completion.
    package var wallTime: Duration
    package var cpuTime: Duration
    /// The bytes of transfers that the ledger ran for the program.
    package var bytes: Int64
    /// Whether the program had to be stopped because it did not complete.
    package var wasStopped: Bool

    package init(
        _ result: FetchResult, wallTime: Duration = .seconds(2), cpuTime: Duration = .zero, bytes: Int64 = 0,
        wasStopped: Bool = false
    ) {
        self.result = result
        self.wallTime = wallTime
        self.cpuTime = cpuTime
        self.bytes = bytes
        self.wasStopped = wasStopped
    }
}

/// How useful the fetches of a program were, and the interval that follows.
package struct FetchYield: Hashable, Sendable {
    /// The longest interval between fetches.
    package static let longestInterval = Duration.seconds(24 * 3600)
    /// The steps that double the interval.
    static let stepsPerDoubling = 4
    /// The most steps: 2^7 minimum intervals.
    static let stepLimit = 28
    package static let durationLimit = 20

    /// The number of steps by which the interval has grown.
    package private(set) var stepCount = 0
    /// The failed fetches in a row.
    package private(set) var failureCount = 0
    /// The newest fetch times, oldest first.
    package private(set) var wallTimes: [Duration] = []
    /// The share of fetches with new data, newer fetches counting more.
    package private(set) var newDataShare = 0.5
    /// The mean CPU time of a fetch in seconds, newer fetches counting more.
    package private(set) var cpuSeconds = 0.5

    package init() {}

    /// Creates a stored yield.
    package init(
        stepCount: Int, failureCount: Int, wallTimes: [Duration] = [], newDataShare: Double = 0.5,
        cpuSeconds: Double = 0.5
    ) {
        self.stepCount = min(max(stepCount, 0), Self.stepLimit)
        self.failureCount = min(max(failureCount, 0), 64)
        self.wallTimes = wallTimes.suffix(Self.durationLimit).map { max($0, .zero) }
        if (0...1).contains(newDataShare) { self.newDataShare = newDataShare }
        if (0...60).contains(cpuSeconds) { self.cpuSeconds = cpuSeconds }
    }

    /// The usefulness per CPU second, by which fetches of the same time are ordered.
    package var usefulness: Double { newDataShare / max(cpuSeconds, 0.01) }

    /// Records a finished fetch. A failure leaves the interval as it is.
    package mutating func handle(_ outcome: FetchOutcome) {
        if outcome.wasStopped {
            // The program waits for the longest delay before it is tried again.
            failureCount = max(failureCount + 1, 6)
            return
        }
        if outcome.result == .failed {
            failureCount = min(failureCount + 1, 64)
            return
        }
        failureCount = 0
        let isNew = outcome.result == .newData
        // New data after a long drought returns to the minimum within three fetches.
        stepCount =
            isNew ? max(0, min(stepCount - Self.stepsPerDoubling, stepCount / 4)) : min(stepCount + 1, Self.stepLimit)
        newDataShare += ((isNew ? 1 : 0) - newDataShare) * 0.2
        cpuSeconds += (min(max(outcome.cpuTime / .seconds(1), 0), 60) - cpuSeconds) * 0.2
        wallTimes.append(outcome.wallTime)
        if wallTimes.count > Self.durationLimit { wallTimes.removeFirst() }
    }

    /// Returns the interval for a minimum interval: doubled for fetches without new data, at most 24 h.
    package func interval(minimum: Duration) -> Duration {
        let (doublings, steps) = stepCount.quotientAndRemainder(dividingBy: Self.stepsPerDoubling)
        let interval = minimum * (1 << doublings) * [1, 1.189_207, 1.414_214, 1.681_793][steps]
        return max(minimum, min(interval, Self.longestInterval))
    }

    /// The delay after the failed fetches in a row: 1 min, 2 min, 4 min, ... 1 h; zero without a failure.
    package var failureDelay: Duration {
        failureCount == 0 ? .zero : .seconds(min(60 << min(failureCount - 1, 10), 3600))
    }

    /// The time before its target at which a fetch must start: the 90th percentile of the fetch times and 5 min.
    package var lead: Duration {
        let sorted = wallTimes.sorted()
        let percentile = sorted.isEmpty ? .seconds(10) : sorted[min(sorted.count * 9 / 10, sorted.count - 1)]
        return percentile + .seconds(300)
    }
}
