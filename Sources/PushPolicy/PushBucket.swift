/// The notifications that may wake a program: three at once, and one more every twenty minutes.
package struct PushBucket: Hashable, Sendable {
    package static let capacity = 3
    package static let refillInterval = Duration.seconds(1200)

    /// The free wakes at ``refillTime``.
    package private(set) var count = capacity
    /// The boot time from which the next refill is counted.
    package private(set) var refillTime = Duration.zero

    package init() {}

    /// Creates the bucket of a stored program.
    package init(count: Int, refillTime: Duration) {
        self.count = min(max(count, 0), Self.capacity)
        self.refillTime = refillTime
    }

    /// Returns the number of free wakes.
    package func available(now: Duration) -> Int { refilled(now: now).count }

    /// Takes a wake, and returns whether one was free.
    package mutating func take(now: Duration) -> Bool {
        self = refilled(now: now)
        guard count > 0 else { return false }
        if count == Self.capacity { refillTime = now }
        count -= 1
        return true
    }

    /// Gives a wake back that did not take place.
    package mutating func giveBack() { count = min(count + 1, Self.capacity) }

    /// Returns the boot time, now or later, at which a wake is free.
    package func nextTime(now: Duration) -> Duration {
        let bucket = refilled(now: now)
        return bucket.count > 0 ? now : bucket.refillTime + Self.refillInterval
    }

    private func refilled(now: Duration) -> PushBucket {
        guard count < Self.capacity, now > refillTime else { return self }
        var bucket = self
        let refills = min(Int((now - refillTime) / Self.refillInterval), Self.capacity - count)
        bucket.count += refills
        bucket.refillTime += Self.refillInterval * refills
        return bucket
    }
}
