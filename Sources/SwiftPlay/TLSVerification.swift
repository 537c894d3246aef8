import MediaPipeline

/// Which certificates of `https` servers are accepted.
public enum TLSVerification: Sendable, Equatable {
    /// Certificates that the system's store of authorities vouches for.
    case systemRoots
    /// Certificates that an authority in this file vouches for, and no others. The file holds PEM blocks.
    case authorities(file: String)
    /// All certificates. The connection is encrypted, but the server may be anybody: for tests and for one's own
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
