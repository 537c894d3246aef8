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

    /// For the want of anything better to wait for; a signal ends it early.
    package static func sleep(_ nanoseconds: Int64) {
        var t = timespec(tv_sec: Int(nanoseconds / nanosecondsPerSecond), tv_nsec: Int(nanoseconds % nanosecondsPerSecond))
        nanosleep(&t, nil)
    }
}
