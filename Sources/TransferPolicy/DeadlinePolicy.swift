/// The remaining time of a deadline, which survives restarts of the machine and jumps of the wall clock.
///
/// Within one boot, only the boot time counts. Across a restart, the wall clock gives the time in which the machine was
/// off, unless the clock was plainly set.
package struct DeadlinePolicy: Hashable, Sendable {
    /// The longest time between two boots that is believed. A longer time counts as 0, as a negative one does.
    package static let longestGap = Duration.seconds(30 * 24 * 3600)

    /// The time that remained when the deadline was saved.
    package private(set) var remaining: Duration
    /// The boot time of the save.
    package private(set) var savedBootTime: Duration
    /// The wall-clock time of the save, since 1970.
    package private(set) var savedWallTime: Duration

    /// Creates a deadline that is due after `remaining`, or restores a stored one with the times of its save.
    package init(remaining: Duration, bootTime: Duration, wallTime: Duration) {
        self.remaining = remaining
        savedBootTime = bootTime
        savedWallTime = wallTime
    }

    /// Returns the remaining time; zero or less if the deadline has passed.
    /// - Parameters:
    ///   - isSameBoot: whether the machine has not restarted since the save.
    ///   - wallTime: the current wall-clock time, which counts only after a restart.
    package func remaining(bootTime: Duration, wallTime: Duration, isSameBoot: Bool) -> Duration {
        let gap = isSameBoot ? bootTime - savedBootTime : wallTime - savedWallTime
        if gap < .zero || (!isSameBoot && gap > Self.longestGap) { return remaining }
        return remaining - gap
    }

    /// Returns the deadline with the remaining time of now, in the boot time of now, to be saved.
    package func rebased(bootTime: Duration, wallTime: Duration, isSameBoot: Bool) -> DeadlinePolicy {
        DeadlinePolicy(
            remaining: remaining(bootTime: bootTime, wallTime: wallTime, isSameBoot: isSameBoot), bootTime: bootTime,
            wallTime: wallTime)
    }

    /// The boot time at which the deadline is due, in the boot of the save.
    package var end: Duration { savedBootTime + remaining }

    /// Returns the used share of the whole time limit, 0 to 1, at a remaining time.
    package static func elapsedShare(remaining: Duration, total: Duration) -> Double {
        guard total > .zero else { return 1 }
        return min(max(1 - remaining / total, 0), 1)
    }
}
