import Glibc
import SystemCalls

/// Where the compositor listens: one a user.
package enum CompositorAddress {
    /// `$XDG_RUNTIME_DIR/swiftplay`, or `/tmp/swiftplay-UID` where there is no such directory. Made if need be, for
    /// this user only.
    ///
    /// - Throws: when it belongs to somebody else or others may enter it.
    package static func directory() throws(SystemCallError) -> String {
        let base: String
        if let runtime = getenv("XDG_RUNTIME_DIR"), runtime.pointee != 0 {
            base = String(cString: runtime) + "/swiftplay"
        } else {
            base = "/tmp/swiftplay-\(getuid())"
        }
        if mkdir(base, 0o700) != 0, errno != EEXIST { throw SystemCallError(call: "mkdir \(base)", number: errno) }
        var status = stat()
        try systemCall("stat \(base)") { lstat(base, &status) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
            throw SystemCallError(call: "\(base) is not a directory of this user alone", number: EPERM)
        }
        return base
    }

    package static func socketPath() throws(SystemCallError) -> String { try directory() + "/compositor" }
    package static func statePath() throws(SystemCallError) -> String { try directory() + "/system-state" }
    package static func lockPath() throws(SystemCallError) -> String { try directory() + "/compositor.lock" }
}
