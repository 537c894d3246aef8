import Glibc

/// Host time: nanoseconds of `CLOCK_MONOTONIC`, which all processes of the machine share.
package enum MonotonicTime {
    package static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// The current host time, in nanoseconds.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * nanosecondsPerSecond + Int64(time.tv_nsec)
    }

    /// The time of the machine's calendar clock, in nanoseconds since 1970. The clock may be set to another time.
    package static var wallClock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * nanosecondsPerSecond + Int64(time.tv_nsec)
    }

    /// The time in nanoseconds that the machine has spent suspended since it started. `CLOCK_BOOTTIME` includes this
    /// time; the host clock does not.
    package static var suspendedTime: Int64 {
        var bootTime = timespec()
        clock_gettime(CLOCK_BOOTTIME, &bootTime)
        return Int64(bootTime.tv_sec) * nanosecondsPerSecond + Int64(bootTime.tv_nsec) - now
    }

    /// The processor time that all threads of this process have used, in nanoseconds.
    package static var processorTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * nanosecondsPerSecond + Int64(time.tv_nsec)
    }

    /// Sleeps for a number of nanoseconds; a signal ends the sleep early. Use it only if there is no event to wait for.
    package static func sleep(_ nanoseconds: Int64) {
        var duration = timespec(
            tv_sec: Int(nanoseconds / nanosecondsPerSecond), tv_nsec: Int(nanoseconds % nanosecondsPerSecond))
        nanosleep(&duration, nil)
    }
}
