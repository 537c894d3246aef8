import SystemCalls

/// Why the remote control could not be set up.
enum IPCServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path is empty, has a zero byte in it or is longer than a socket's may be.
    case badPath(String)
    /// Another process answers there.
    case inUse(String)
    /// Something else than a socket of this user is there, and is left alone.
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
