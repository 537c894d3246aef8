import SystemCalls
import WireFormat

/// The paths of the compositor's files. Each user has one compositor.
package enum CompositorAddress {
    /// Returns the directory of the compositor's files, which is created if necessary.
    ///
    /// - Throws: `SystemCallError` if the directory cannot be created, belongs to another user, or is accessible to
    ///   others.
    package static func directory() throws(SystemCallError) -> String { try UserRuntimeDirectory.path() }

    /// Returns the path of the socket at which the compositor listens. Throws the errors of ``directory()``.
    package static func socketPath() throws(SystemCallError) -> String { try directory() + "/compositor" }
    /// Returns the path of the file that stores system-wide conditions. Throws the errors of ``directory()``.
    package static func statePath() throws(SystemCallError) -> String { try directory() + "/system-state" }
    /// Returns the path of the directory of the programs' pictures. Throws the errors of ``directory()``.
    package static func snapshotPath() throws(SystemCallError) -> String { try directory() + "/snapshots" }
    /// Returns the path of the lock file of the listening compositor. Throws the errors of ``directory()``.
    package static func lockPath() throws(SystemCallError) -> String { try directory() + "/compositor.lock" }
}
