import LedgerStore
import SystemCalls
import TransferPolicy

/// The clocks of the service. Times without a further name are boot times in nanoseconds.
struct ServiceClock {
    /// The identifier of the start of the machine.
    let boot: String
    /// Returns the time since the start of the machine, including suspension.
    var now: () -> Int64 = { BootTime.now }
    /// Returns the calendar time.
    var wall: () -> Int64 = { MonotonicTime.wallClock }

    /// Creates the clocks of this machine.
    init(boot: String = BootTime.identifier()) { self.boot = boot }

    /// The current boot time as the policies take it.
    var time: Duration { .nanoseconds(now()) }

    /// The mark to store now.
    var mark: ClockMark { ClockMark(boot: boot, wall: wall(), uptime: now()) }

    /// Returns the time that has passed since a mark; 0 if the clocks contradict each other.
    func passed(since mark: ClockMark) -> Int64 {
        let saved = DeadlinePolicy(
            remaining: .zero, bootTime: .nanoseconds(mark.uptime), wallTime: .nanoseconds(mark.wall))
        let rest = saved.remaining(
            bootTime: .nanoseconds(now()), wallTime: .nanoseconds(wall()), isSameBoot: mark.boot == boot)
        return (Duration.zero - rest).clampedNanoseconds
    }
}
