import CLinux
import Glibc

/// The owner of an open file descriptor; closes it on deinitialisation.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The descriptor number, valid while this value exists. Do not close it.
    package let raw: Int32

    /// Takes ownership of the open descriptor `raw`, which no other owner may close.
    package init(owning raw: Int32) { self.raw = raw }

    /// Closes the descriptor.
    deinit { _ = Glibc.close(raw) }

    /// Returns a duplicate of the descriptor. A program that this process executes does not inherit the duplicate.
    package func duplicate() throws(SystemCallError) -> FileDescriptor {
        try FileDescriptor(duplicating: raw)
    }

    /// Duplicates the descriptor `original`, such as standard input; the original keeps its owner.
    package init(duplicating original: Int32) throws(SystemCallError) {
        self.init(owning: try systemCall("fcntl") { clinux_dup_cloexec(original) })
    }

    /// Opens a file. A program that this process executes does not inherit the descriptor (`O_CLOEXEC`).
    package init(opening path: String, flags: Int32, mode: UInt32 = 0) throws(SystemCallError) {
        self.init(owning: try systemCall("open") { clinux_open(path, flags | O_CLOEXEC, mode) })
    }

    /// Opens the file at a path that may have any encoding. A program that this process executes does not inherit the
    /// descriptor (`O_CLOEXEC`).
    package init(opening path: FilePath, flags: Int32, mode: UInt32 = 0) throws(SystemCallError) {
        self.init(
            owning: try path.withCString { (path) throws(SystemCallError) in
                try systemCall("open") { clinux_open(path, flags | O_CLOEXEC, mode) }
            })
    }

    /// Sets or clears `O_NONBLOCK`, which all duplicates of the descriptor share.
    package func setNonBlocking(_ isNonBlocking: Bool) throws(SystemCallError) {
        try systemCall("fcntl") { clinux_set_nonblocking(raw, isNonBlocking ? 1 : 0) }
    }

    /// Releases ownership and returns the descriptor number. The caller must close that descriptor.
    package consuming func release() -> Int32 {
        let releasedNumber = raw
        discard self
        return releasedNumber
    }
}

/// A descriptor with shared ownership, closed when the last reference is released.
package final class SharedDescriptor: Sendable {
    /// The owned descriptor, which is closed when this object is released.
    package let fileDescriptor: FileDescriptor
    /// The descriptor number, valid while this object exists. Do not close it.
    package var raw: Int32 { fileDescriptor.raw }
    /// Takes ownership of a descriptor.
    package init(_ fileDescriptor: consuming FileDescriptor) { self.fileDescriptor = fileDescriptor }
}
