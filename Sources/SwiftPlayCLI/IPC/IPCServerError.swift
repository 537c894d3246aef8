import SystemCalls

/// The reason why the IPC server could not start.
enum IPCServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path is empty, contains a zero byte or is longer than a socket's path may be.
    case badPath(String)
    /// Another process listens at the path.
    case inUse(String)
    /// The file at the path is not a socket of this user. It stays unchanged.
    case notOurSocket(String)
    case system(path: String, SystemCallError)

    var description: String {
        switch self {
        case .badPath(let path): "\(path): not a path for a socket (at most \(IPCSocketFile.maximumPathBytes) bytes)"
        case .inUse(let path): "\(path): another process is listening there; choose another path or end it"
        case .notOurSocket(let path): "\(path): exists and is not a socket of yours; remove it or choose another path"
        case .system(let path, let error): "\(path): \(error)"
        }
    }
}
