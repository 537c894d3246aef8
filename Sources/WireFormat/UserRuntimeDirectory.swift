import Glibc
import SystemCalls

/// The directory of the sockets and locks of the user's services.
package enum UserRuntimeDirectory {
    /// Returns the path of the directory: `$XDG_RUNTIME_DIR/swiftplay`, or `/tmp/swiftplay-UID` without that variable.
    /// Creates the directory with access for this user only.
    ///
    /// - Throws: `SystemCallError` if the directory cannot be created, belongs to another user, or is accessible to
    ///   others.
    package static func path() throws(SystemCallError) -> String {
        let path: String
        if let runtimeDirectory = getenv("XDG_RUNTIME_DIR"), runtimeDirectory.pointee != 0 {
            path = String(cString: runtimeDirectory) + "/swiftplay"
        } else {
            path = "/tmp/swiftplay-\(getuid())"
        }
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw SystemCallError(call: "mkdir \(path)", number: errno) }
        var status = stat()
        try systemCall("stat \(path)") { lstat(path, &status) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
            throw SystemCallError(call: "\(path) is not a directory of this user alone", number: EPERM)
        }
        return path
    }
}
