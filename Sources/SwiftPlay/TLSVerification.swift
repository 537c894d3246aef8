import HTTPTransfer

/// The rule by which a player verifies the certificates of `https` servers.
public enum TLSVerification: Sendable, Equatable {
    /// Accepts certificates that an authority of the system's store has signed.
    case systemRoots
    /// Accepts only certificates that an authority of this file has signed. The file contains PEM blocks.
    case authorities(file: String)
    /// Accepts all certificates. The connection is encrypted, but the server is not authenticated. Use this for tests
    /// and for your own devices.
    case none

    /// Converts a trust setting of HTTP requests into the public type.
    init(_ trust: TLSTrust) {
        self =
            switch trust {
            case .systemRoots: .systemRoots
            case .authorities(let file): .authorities(file: file)
            case .anything: .none
            }
    }

    /// The demuxer's setting for this value.
    var trust: TLSTrust {
        switch self {
        case .systemRoots: .systemRoots
        case .authorities(let file): .authorities(file: file)
        case .none: .anything
        }
    }
}
