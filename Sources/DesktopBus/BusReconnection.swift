import SystemCalls

/// The times at which a lost connection to a bus is tried again: a value. The delay doubles from 1 s to 256 s.
package struct BusReconnection: Hashable, Sendable {
    private static let firstDelay = MonotonicTime.nanosecondsPerSecond, lastDelay = 256 * firstDelay

    /// The host time of the next attempt; nil if none is planned.
    package private(set) var time: Int64?
    private var delay = firstDelay

    package init() {}

    /// Plans an attempt, because the connection was lost or an attempt has failed.
    package mutating func handleLoss(now: Int64) {
        time = now + delay
        delay = min(2 * delay, Self.lastDelay)
    }

    /// Records that the bus works: the next loss is followed by the shortest delay.
    package mutating func handleAnswer() { delay = Self.firstDelay }

    /// Returns whether an attempt is due; it is not planned any more then.
    package mutating func takeAttempt(now: Int64) -> Bool {
        guard let time, now >= time else { return false }
        self.time = nil
        return true
    }
}
