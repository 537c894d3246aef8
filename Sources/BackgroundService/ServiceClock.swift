import FetchPolicy
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

    /// Returns the time since the start of the machine, without suspension.
    var monotonic: () -> Int64 = { MonotonicTime.now }
    /// Returns the difference of local time to UTC in seconds, at a calendar time in seconds since 1970.
    var utcOffset: (Int64) -> Int = { LocalTime.utcOffset(at: $0) }

    /// Creates the clocks of this machine.
    init(boot: String = BootTime.identifier()) { self.boot = boot }

    /// The current boot time as the policies take it.
    var time: Duration { .nanoseconds(now()) }

    /// The current time as background fetch takes it.
    var fetchTime: FetchTime {
        let seconds = wall() / MonotonicTime.nanosecondsPerSecond
        return FetchTime(bootTime: time, wallSeconds: seconds, utcOffset: utcOffset(seconds))
    }

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
