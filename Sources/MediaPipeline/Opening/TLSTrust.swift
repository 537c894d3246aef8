import CFFmpeg
import Glibc

/// The accepted certificates of https servers.
package enum TLSTrust: Sendable, Equatable {
    /// Certificates issued by an authority in the system's store.
    case systemRoots
    /// Certificates issued by an authority in this file (PEM).
    case authorities(file: String)
    /// Every certificate is accepted. This is insecure, because any server can impersonate another.
    case anything

    /// The paths of the certificate store in common Linux distributions, in the order of search. FFmpeg receives the
    /// path that exists, because FFmpeg with OpenSSL does not find the store itself.
    private static let certificateStorePaths = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// The path of the file with the accepted certificate authorities; nil for ``anything``, and if no store is found.
    var file: String? {
        switch self {
        case .systemRoots: Self.certificateStorePaths.first { access($0, R_OK) == 0 }
        case .authorities(let file): file
        case .anything: nil
        }
    }

    /// Sets FFmpeg's TLS options for a connection.
    func apply(to options: inout OpaquePointer?) {
        av_dict_set(&options, "tls_verify", self == .anything ? "0" : "1", 0)
        if let file { av_dict_set(&options, "ca_file", file, 0) }
    }
}
