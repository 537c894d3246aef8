import SystemCalls

/// The reason why the IPC server could not start.
enum IPCServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the socket is empty, contains a zero byte or is longer than a socket's path may be.
    case badPath(String)
    /// Another process listens at the path of the socket.
    case inUse(String)
    /// The file at the path is not a socket of this user. The server does not change the file.
    case notOurSocket(String)
    /// A system call for the socket at the path failed.
    case system(path: String, SystemCallError)

    var description: String {
        switch self {
        case .badPath(let path): "\(path): not a valid socket path (at most \(IPCSocketFile.maximumPathBytes) bytes)"
        case .inUse(let path): "\(path): in use by another process; stop it or choose another path"
        case .notOurSocket(let path): "\(path): exists and is not your socket; remove it or choose another path"
        case .system(let path, let error): "cannot create the IPC socket \(path): \(error.reason)"
        }
    }
}
