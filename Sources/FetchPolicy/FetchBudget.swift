/// How recently the user used a program. The budget of background fetches depends on it.
package enum UsageBucket: Hashable, Sendable, CaseIterable {
    /// The program is in use.
    case active
    /// The program was used within 12 hours.
    case working
    /// The program was used within 24 hours.
    case frequent
    /// The program was used within 48 hours.
    case rare
    case idle

    /// Creates the bucket of a program.
    /// - Parameter timeSinceUse: the time since the last use, zero during the use, nil if the program was never used.
    package init(timeSinceUse: Duration?) {
        switch timeSinceUse.map({ $0.components.seconds }) {
        case .some(..<1): self = .active
        case .some(..<(12 * 3600)): self = .working
        case .some(..<(24 * 3600)): self = .frequent
        case .some(..<(48 * 3600)): self = .rare
        default: self = .idle
        }
    }

    /// The share of the full budget in percent.
    package var percent: Int {
        switch self {
        case .active, .working: 100
        case .frequent: 50
        case .rare: 15
        case .idle: 4
        }
    }
}

/// The background work of a program within the last 24 hours, and its limits.
package struct FetchBudget: Hashable, Sendable {
    /// The period over which work is counted.
    package static let period = Duration.seconds(24 * 3600)
    package static let wakeLimit = 48
    package static let wallTimeLimit = Duration.seconds(600)
    package static let cpuTimeLimit = Duration.seconds(60)
    package static let byteLimit: Int64 = 50_000_000
    package static let meteredByteLimit: Int64 = 5_000_000

    /// One wake, and what it used.
    package struct Wake: Hashable, Sendable {
        /// The boot time of the start.
        package let time: Duration
        package var wallTime = Duration.zero
        package var cpuTime = Duration.zero
        package var bytes: Int64 = 0

        package init(time: Duration, wallTime: Duration = .zero, cpuTime: Duration = .zero, bytes: Int64 = 0) {
            (self.time, self.wallTime, self.cpuTime, self.bytes) = (time, wallTime, cpuTime, bytes)
        }
    }

    /// The most wakes that are counted.
    package static let storedWakeLimit = 4 * wakeLimit

    /// The wakes of the last period, oldest first; at most ``storedWakeLimit``.
    package private(set) var wakes: [Wake] = []

    package init() {}

    /// Creates a stored budget.
    package init(wakes: [Wake]) { self.wakes = wakes.sorted { $0.time < $1.time }.suffix(Self.storedWakeLimit) }

    /// Records the start of a background wake.
    package mutating func handleStart(now: Duration) {
        removeOldWakes(now: now)
        wakes.append(Wake(time: now))
        if wakes.count > Self.storedWakeLimit { wakes.removeFirst() }
    }

    /// Records what the wake with a start time used.
    package mutating func handleEnd(_ outcome: FetchOutcome, startTime: Duration) {
        guard let index = wakes.lastIndex(where: { $0.time == startTime }) else { return }
        wakes[index].wallTime = max(.zero, outcome.wallTime)
        wakes[index].cpuTime = max(.zero, outcome.cpuTime)
        wakes[index].bytes = max(0, outcome.bytes)
    }

    /// Returns the number of wakes within the last period.
    package func wakeCount(now: Duration) -> Int { wakes.count { now - $0.time < Self.period } }

    /// Returns the first time, now or later, at which a wake fits into the budget.
    package func nextPermittedTime(now: Duration, bucket: UsageBucket, isMetered: Bool) -> Duration {
        let share = bucket.percent
        let byteLimit = isMetered ? Self.meteredByteLimit : Self.byteLimit
        // An idle program keeps at least one wake a day.
        let wakeLimit = max(1, Self.wakeLimit * share / 100)
        var (wallTime, cpuTime, bytes) = (Duration.zero, Duration.zero, Int64(0))
        var count = 0
        // Adds up from the newest wake to the oldest: the wake that exceeds a limit must leave the period.
        for wake in wakes.reversed() where now - wake.time < Self.period {
            count += 1
            wallTime += wake.wallTime
            cpuTime += wake.cpuTime
            bytes = bytes.addingReportingOverflow(wake.bytes).partialValue
            let isUsedUp =
                count >= wakeLimit || wallTime >= Self.wallTimeLimit * share / 100
                || cpuTime >= Self.cpuTimeLimit * share / 100 || bytes >= byteLimit * Int64(share) / 100 || bytes < 0
            if isUsedUp { return wake.time + Self.period }
        }
        return now
    }

    private mutating func removeOldWakes(now: Duration) { wakes.removeAll { now - $0.time >= Self.period } }
}
