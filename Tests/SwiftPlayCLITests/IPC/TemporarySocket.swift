import Glibc

/// A temporary directory and the path of a Unix socket in it. Deinitialisation removes both.
final class TemporarySocket {
    let directory: String
    var path: String { directory + "/s" }

    init() {
        var template = Array("/tmp/swiftplay-ipc-XXXXXX".utf8CString)
        mkdtemp(&template)
        directory = template.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    deinit {
        unlink(path)
        rmdir(directory)
    }

    var exists: Bool { access(path, F_OK) == 0 }

    /// The type and permissions of the socket's file; 0 if the file does not exist.
    var mode: mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : 0
    }

    /// Creates the file of a socket without a listening process, as a crashed server leaves it.
    func abandonSocket() {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(descriptor)
    }
}
