import Glibc

/// How a program ended, and what it had used.
package struct ExitStatus: Sendable, Equatable, CustomStringConvertible {
    package enum Reason: Sendable, Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }
    package let reason: Reason
    /// Processor time, its own and the system's for it, in nanoseconds.
    package let processorTime: Int64
    /// The most memory it had resident, in bytes.
    package let peakResidentBytes: Int

    /// True for `exit(0)`.
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
        let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        processorTime = Int64(seconds) * 1_000_000_000 + Int64(micros) * 1000
        peakResidentBytes = usage.ru_maxrss * 1024
    }
}
