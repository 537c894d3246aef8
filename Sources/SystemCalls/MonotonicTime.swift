import Glibc

/// Host time: nanoseconds of `CLOCK_MONOTONIC`, the one clock that both processes and the X server's neighbours share.
package enum MonotonicTime {
    package static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// The time now, in nanoseconds.
    package static var now: Int64 {
        var t = timespec()
        clock_gettime(CLOCK_MONOTONIC, &t)
        return Int64(t.tv_sec) * nanosecondsPerSecond + Int64(t.tv_nsec)
    }

    /// Nanoseconds that the machine has slept since it was started: `CLOCK_BOOTTIME` counts them, the host clock does
    /// not.
    package static var asleep: Int64 {
        var boot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &boot)
        return Int64(boot.tv_sec) * nanosecondsPerSecond + Int64(boot.tv_nsec) - now
    }

    /// For the want of anything better to wait for; a signal ends it early.
    package static func sleep(_ nanoseconds: Int64) {
        var t = timespec(
            tv_sec: Int(nanoseconds / nanosecondsPerSecond), tv_nsec: Int(nanoseconds % nanosecondsPerSecond))
        nanosleep(&t, nil)
    }
}
