import CFFmpeg
import Glibc

/// Which certificates of https servers are accepted.
package enum TLSTrust: Sendable, Equatable {
    /// Certificates issued by an authority in the system's store.
    case systemRoots
    /// Certificates issued by an authority in this file (PEM).
    case authorities(file: String)
    /// Every certificate: any server can pose as another.
    case anything

    /// The paths at which distributions keep their store, in the order in which they are tried. An FFmpeg with OpenSSL
    /// does not find the store by itself.
    private static let stores = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// The file with the accepted authorities; nil: the store that FFmpeg finds by itself.
    var file: String? {
        switch self {
        case .systemRoots: Self.stores.first { access($0, R_OK) == 0 }
        case .authorities(let file): file
        case .anything: nil
        }
    }

    /// Sets FFmpeg's options for a connection.
    func apply(to options: inout OpaquePointer?) {
        av_dict_set(&options, "tls_verify", self == .anything ? "0" : "1", 0)
        if let file { av_dict_set(&options, "ca_file", file, 0) }
    }
}
