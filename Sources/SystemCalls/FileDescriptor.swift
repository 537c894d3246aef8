import CLinux
import Glibc

/// The one owner of an open descriptor; closes it when it goes.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, valid as long as this value lives. Do not close it.
    package let raw: Int32

    /// Takes over `raw`, which nobody else may close.
    package init(owning raw: Int32) { self.raw = raw }

    deinit { _ = Glibc.close(raw) }

    /// A second descriptor of the same open file, closed on exec.
    package func duplicate() throws(SystemCallError) -> FileDescriptor {
        try FileDescriptor(duplicating: raw)
    }

    /// Duplicates a descriptor that somebody else owns, standard input say.
    package init(duplicating other: Int32) throws(SystemCallError) {
        self.init(owning: try systemCall("fcntl") { clinux_dup_cloexec(other) })
    }

    /// Opens a path, closed on exec.
    package init(opening path: String, flags: Int32, mode: UInt32 = 0) throws(SystemCallError) {
        self.init(owning: try systemCall("open") { clinux_open(path, flags | O_CLOEXEC, mode) })
    }

    package func setNonBlocking(_ on: Bool) throws(SystemCallError) {
        try systemCall("fcntl") { clinux_set_nonblocking(raw, on ? 1 : 0) }
    }

    /// Gives the number away: the caller closes it.
    package consuming func release() -> Int32 {
        let number = raw
        discard self
        return number
    }
}

/// A descriptor with several holders, closed when the last lets go.
package final class SharedDescriptor: Sendable {
    private let owned: FileDescriptor
    package var raw: Int32 { owned.raw }
    package init(_ owned: consuming FileDescriptor) { self.owned = owned }
}
