import Glibc

/// The exit status of a program and its resource usage.
package struct ExitStatus: Sendable, Equatable, CustomStringConvertible {
    /// The end of the program: an exit code or a signal.
    package enum Reason: Sendable, Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }
    package let reason: Reason
    /// The user and system processor time that the program used, in nanoseconds.
    package let processorTime: Int64
    /// The peak resident memory of the program, in bytes.
    package let peakResidentBytes: Int

    /// Whether the program exited with status 0.
    package var isSuccess: Bool { reason == .exited(0) }

    package var description: String {
        switch reason {
        case .exited(let code): "exited with \(code)"
        case .killed(let signal): "killed by signal \(signal)"
        }
    }

    init(status: Int32, usage: rusage) {
        let signal = status & 0x7f
        reason = signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        processorTime = Int64(seconds) * 1_000_000_000 + Int64(microseconds) * 1000
        peakResidentBytes = usage.ru_maxrss * 1024
    }
}
