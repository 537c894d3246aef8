import Glibc

/// The state of a process as the kernel reports it.
package enum ProcessState {
    /// Whether the process is not running: stopped by a signal or a debugger, or exited. The state is the third field
    /// of `/proc/PID/stat`, see proc(5).
    package static func isStopped(_ process: Int32) -> Bool {
        letter(of: process).map { "TtZX".utf8.contains($0) } ?? true
    }

    /// Whether a signal (SIGSTOP, SIGTSTP) stopped the process; false if the state is unknown.
    package static func isStoppedBySignal(_ process: Int32) -> Bool { letter(of: process) == UInt8(ascii: "T") }

    private static func letter(of process: Int32) -> UInt8? {
        guard let file = try? FileDescriptor(opening: "/proc/\(process)/stat", flags: O_RDONLY) else { return nil }
        var text = [UInt8](repeating: 0, count: 256)
        let count = text.withUnsafeMutableBytes { read(file.raw, $0.baseAddress, $0.count) }
        // The name in parentheses may contain parentheses itself; it has at most 15 bytes.
        guard count > 0, let end = text.prefix(count).lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
            return nil
        }
        return text[end + 2]
    }
}
