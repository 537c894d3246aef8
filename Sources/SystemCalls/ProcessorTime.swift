import Glibc

/// The processor time of other processes.
package enum ProcessorTime {
    /// Returns the time in nanoseconds that all threads of a process have used; 0 if the process has ended.
    package static func used(by processID: Int32) -> Int64 {
        var clock = clockid_t(), time = timespec()
        guard processID > 0, clock_getcpuclockid(processID, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            return 0
        }
        return Int64(time.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(time.tv_nsec)
    }
}
