import CLinux
import Glibc

/// A handle of a process that was running when the handle was created. After that process has ended, all methods fail,
/// even if the kernel has given the process ID to another process. Used by one thread.
package final class ProcessHandle {
    /// The process ID. Another process may get the same ID after this process has ended.
    package let processID: Int32
    /// The pidfd, to which signals are sent.
    private let descriptor: FileDescriptor
    /// The process's directory in `/proc`.
    private let procDirectory: FileDescriptor

    /// Opens a running process.
    ///
    /// - Parameters:
    ///   - processID: The process ID.
    ///   - socket: A socket to which the process is connected, and by which the kernel identifies the process (Linux
    ///     6.5); nil to trust `processID`.
    /// - Throws: ``SystemCallError`` if the process has ended, belongs to another user, or cannot be identified.
    package init(_ processID: Int32, connectedTo socket: Int32? = nil) throws(SystemCallError) {
        let descriptor = try Self.openDescriptor(processID, socket)
        procDirectory = try FileDescriptor(opening: "/proc/\(processID)", flags: O_RDONLY | O_DIRECTORY)
        self.processID = processID
        self.descriptor = descriptor
        // If the process still runs, the opened directory belongs to this process and not to a later process with the
        // same ID.
        guard isRunning else { throw SystemCallError(call: "pidfd_open", number: ESRCH) }
    }

    /// Opens a pidfd: of the process that is connected to `socket` if the kernel supports that, otherwise of
    /// `processID`.
    private static func openDescriptor(_ processID: Int32, _ socket: Int32?) throws(SystemCallError) -> FileDescriptor {
        if let socket {
            let peerDescriptor = clinux_peer_pidfd(socket)
            if peerDescriptor >= 0 { return FileDescriptor(owning: peerDescriptor) }
        }
        return FileDescriptor(owning: try systemCall("pidfd_open") { clinux_pidfd_open(processID) })
    }

    /// The pidfd, which is readable once the process has ended. It is valid while this object exists. Do not close it.
    package var raw: Int32 { descriptor.raw }

    /// Whether the process is still running.
    package var isRunning: Bool {
        var entries = [Poll.Entry(descriptor.raw)]
        // The descriptor is readable once the process has ended.
        return (try? Poll.wait(&entries, until: MonotonicTime.now)) == false
    }

    /// Returns the start of a file of the process in `/proc`, such as `smaps_rollup`; nil if it cannot be read.
    package func text(of name: String) -> String? {
        guard let file = try? open(name, O_RDONLY) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(file.raw, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// Writes a file of the process in `/proc`, such as `oom_score_adj`.
    package func write(_ text: String, to name: String) throws(SystemCallError) {
        let file = try open(name, O_WRONLY)
        let bytes = Array(text.utf8)
        try systemCall("write") { bytes.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) } }
    }

    /// Sends a signal to the process.
    package func send(signal: Int32) throws(SystemCallError) {
        try systemCall("pidfd_send_signal") { clinux_pidfd_send_signal(descriptor.raw, signal) }
    }

    /// Returns the memory of the killed process to the kernel, without waiting until the process has ended (Linux
    /// 5.15). Does nothing on older systems.
    package func releaseMemoryOfKilledProcess() { _ = clinux_process_mrelease(descriptor.raw) }

    /// Opens a file of the process in `/proc`.
    private func open(_ name: String, _ flags: Int32) throws(SystemCallError) -> FileDescriptor {
        FileDescriptor(
            owning: try systemCall("openat") { clinux_openat(procDirectory.raw, name, flags | O_CLOEXEC) })
    }
}
