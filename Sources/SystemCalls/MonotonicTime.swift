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
}
