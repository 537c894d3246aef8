import Glibc

/// Queries of a process's state as the kernel reports it.
package enum ProcessState {
    /// Returns whether a process has exited, or is stopped by a signal or a debugger.
    package static func isStoppedOrExited(_ process: Int32) -> Bool {
        stateLetter(of: process).map { "TtZX".utf8.contains($0) } ?? true
    }

    /// Returns whether a signal (SIGSTOP, SIGTSTP) stopped a process; false if the state is unknown.
    package static func isStoppedBySignal(_ process: Int32) -> Bool { stateLetter(of: process) == UInt8(ascii: "T") }

    /// Returns the time at which a process was started, in ticks since the boot; 0 if it does not run. With the process
    /// ID it identifies a process until the machine restarts.
    package static func startTime(of process: Int32) -> Int64 {
        guard let status = (try? ProcessHandle(process))?.text(of: "stat"), let end = status.lastIndex(of: ")") else {
            return 0
        }
        // The 22nd field; the second one may contain spaces.
        let fields = status[status.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? Int64(fields[19]) ?? 0 : 0
    }

    /// Returns the ID of the thread that traces a process, such as a debugger's; nil if there is none, if it is outside
    /// this PID namespace, or if the process's status cannot be read.
    package static func tracer(of process: Int32) -> Int32? {
        let status = (try? ProcessHandle(process))?.text(of: "status")
        let line = status?.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
        guard let tracerText = line?.split(whereSeparator: \.isWhitespace).last, let tracer = Int32(tracerText) else {
            return nil
        }
        return tracer > 0 ? tracer : nil
    }

    /// Returns the kernel's letter for the state of a process, such as `R` for running or `T` for stopped: the third
    /// field of `/proc/PID/stat` (proc(5)). Returns nil if `/proc` has no such process.
    private static func stateLetter(of process: Int32) -> UInt8? {
        guard let file = try? FileDescriptor(opening: "/proc/\(process)/stat", flags: O_RDONLY) else { return nil }
        var text = [UInt8](repeating: 0, count: 256)
        let count = text.withUnsafeMutableBytes { read(file.raw, $0.baseAddress, $0.count) }
        // The process name in parentheses (at most 15 bytes) may contain parentheses: find the last parenthesis.
        guard count > 0, let nameEnd = text.prefix(count).lastIndex(of: UInt8(ascii: ")")), nameEnd + 2 < count else {
            return nil
        }
        return text[nameEnd + 2]
    }
}
