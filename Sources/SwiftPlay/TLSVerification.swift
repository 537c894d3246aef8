import MediaPipeline

/// The certificates of `https` servers that a player accepts.
public enum TLSVerification: Sendable, Equatable {
    /// Certificates that are signed by an authority of the system's store.
    case systemRoots
    /// Certificates that are signed by an authority of this file, and no others. The file contains PEM blocks.
    case authorities(file: String)
    /// All certificates. The connection is encrypted, but the server is not authenticated: for tests and for your own
    /// devices.
    case none

    init(_ trust: TLSTrust) {
        self =
            switch trust {
            case .systemRoots: .systemRoots
            case .authorities(let file): .authorities(file: file)
            case .anything: .none
            }
    }

    var trust: TLSTrust {
        switch self {
        case .systemRoots: .systemRoots
        case .authorities(let file): .authorities(file: file)
        case .none: .anything
        }
    }
}
