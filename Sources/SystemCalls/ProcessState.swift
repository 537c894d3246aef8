import Glibc

/// What the kernel says of a process.
package enum ProcessState {
    /// It does not run: stopped by a signal or a debugger, or dead. proc(5), the third field of `stat`.
    package static func isStopped(_ process: Int32) -> Bool {
        letter(of: process).map { "TtZX".utf8.contains($0) } ?? true
    }

    /// A signal stopped it (SIGSTOP, SIGTSTP); false where that cannot be known.
    package static func isStoppedBySignal(_ process: Int32) -> Bool { letter(of: process) == UInt8(ascii: "T") }

    private static func letter(of process: Int32) -> UInt8? {
        guard let file = try? FileDescriptor(opening: "/proc/\(process)/stat", flags: O_RDONLY) else { return nil }
        var text = [UInt8](repeating: 0, count: 256)
        let count = text.withUnsafeMutableBytes { read(file.raw, $0.baseAddress, $0.count) }
        // Its name, in brackets, may hold brackets itself; it has 15 bytes at most.
        guard count > 0, let end = text.prefix(count).lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
            return nil
        }
        return text[end + 2]
    }
}
