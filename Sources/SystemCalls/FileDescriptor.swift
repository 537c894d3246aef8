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

    /// Returns a duplicate of the descriptor, closed on exec.
    package func duplicate() throws(SystemCallError) -> FileDescriptor {
        try FileDescriptor(duplicating: raw)
    }

    /// Duplicates a descriptor that has another owner, such as standard input.
    package init(duplicating other: Int32) throws(SystemCallError) {
        self.init(owning: try systemCall("fcntl") { clinux_dup_cloexec(other) })
    }

    /// Opens a path; the descriptor is closed on exec.
    package init(opening path: String, flags: Int32, mode: UInt32 = 0) throws(SystemCallError) {
        self.init(owning: try systemCall("open") { clinux_open(path, flags | O_CLOEXEC, mode) })
    }

    /// Sets or clears `O_NONBLOCK`, which all duplicates of the descriptor share.
    package func setNonBlocking(_ on: Bool) throws(SystemCallError) {
        try systemCall("fcntl") { clinux_set_nonblocking(raw, on ? 1 : 0) }
    }

    /// Releases ownership: the caller must close the returned descriptor.
    package consuming func release() -> Int32 {
        let number = raw
        discard self
        return number
    }
}

/// A descriptor with shared ownership, closed when the last reference is released.
package final class SharedDescriptor: Sendable {
    /// The owned descriptor, which is closed when this object is released.
    private let owned: FileDescriptor
    /// The descriptor number, valid while this object exists. Do not close it.
    package var raw: Int32 { owned.raw }
    /// Takes ownership of a descriptor.
    package init(_ owned: consuming FileDescriptor) { self.owned = owned }
}
