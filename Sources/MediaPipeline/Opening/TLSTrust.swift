import CFFmpeg
import Glibc
import SystemCalls

/// Which certificates of https servers are accepted.
package enum TLSTrust: Sendable, Equatable {
    /// Those that an authority of the system's store vouches for.
    case systemRoots
    /// Those that an authority in this file (PEM) vouches for.
    case authorities(file: String)
    /// All of them: the server may be anybody.
    case anything

    /// Where distributions keep their store, in the order in which they are tried. An FFmpeg with OpenSSL does not find it by itself.
    private static let stores = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// nil: FFmpeg's own idea of the system's store.
    private var file: String? {
        switch self {
        case .systemRoots: Self.stores.first { access($0, R_OK) == 0 }
        case .authorities(let file): file
        case .anything: nil
        }
    }

    func apply(to options: inout OpaquePointer?) {
        av_dict_set(&options, "tls_verify", self == .anything ? "0" : "1", 0)
        if let file { av_dict_set(&options, "ca_file", file, 0) }
    }

    /// Why no connection to `url` can be trusted; nil where the certificates are not the reason.
    ///
    /// Connects once more and looks at the certificate, since FFmpeg does not say what is wrong with it. Waits for the server for
    /// ``patience`` at most, and for the resolver of names.
    func fault(of url: String) -> MediaError? {
        guard self != .anything, OpenPolicy.scheme(of: url) == "https" else { return nil }
        if case .authorities(let file) = self, access(file, R_OK) != 0 {
            return MediaError(.untrustedServer, "the certificate authorities in \(file) cannot be read")
        }
        var name = [CChar](repeating: 0, count: 1024), port: Int32 = -1
        av_url_split(nil, 0, nil, 0, &name, Int32(name.count), &port, nil, 0, url)
        guard let socket = Self.connect(to: name, port: port > 0 ? port : 443) else { return nil }
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var address = in6_addr()
        let isNumber = inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
        let status = cffmpeg_certificate_status(socket.raw, name, isNumber ? 1 : 0, file, UInt32(Self.patience / 1_000_000))
        guard status > 0 else { return nil }
        return MediaError(.untrustedServer, "the certificate of \(host) is not trusted: \(Self.words(for: status))")
    }

    /// Nanoseconds.
    private static let patience: Int64 = 3_000_000_000

    static func words(for status: Int32) -> String {
        func has(_ bit: Int) -> Bool { status & Int32(bit) != 0 }
        var faults: [String] = []
        if has(Int(CFFMPEG_CERTIFICATE_EXPIRED)) { faults.append("it has expired") }
        if has(Int(CFFMPEG_CERTIFICATE_NOT_ACTIVATED)) { faults.append("it is not valid yet") }
        if has(Int(CFFMPEG_CERTIFICATE_REVOKED)) { faults.append("it has been revoked") }
        if has(Int(CFFMPEG_CERTIFICATE_UNEXPECTED_OWNER)) { faults.append("it was issued for another host name") }
        if has(Int(CFFMPEG_CERTIFICATE_SIGNER_NOT_FOUND)) || has(Int(CFFMPEG_CERTIFICATE_SIGNER_NOT_CA)) {
            faults.append("it is self-signed, or its issuer is unknown")
        }
        if has(Int(CFFMPEG_CERTIFICATE_INSECURE_ALGORITHM)) { faults.append("it uses an insecure algorithm") }
        return faults.isEmpty ? "its signature is wrong" : faults.joined(separator: ", ")
    }

    private static func connect(to host: [CChar], port: Int32) -> FileDescriptor? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        let deadline = MonotonicTime.now + patience
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            let raw = socket(entry.ai_family, entry.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), entry.ai_protocol)
            guard raw >= 0 else { continue }
            let descriptor = FileDescriptor(owning: raw)
            guard (try? descriptor.setNonBlocking(true)) != nil else { continue }
            var code = Glibc.connect(raw, entry.ai_addr, entry.ai_addrlen) == 0 ? 0 : errno
            if code == EINPROGRESS {
                var events = [Poll.Entry(raw, .writable)]
                guard (try? Poll.wait(&events, until: deadline)) != nil else { continue }
                var size = socklen_t(MemoryLayout<Int32>.size)
                code = 0
                if events[0].ready == [] || getsockopt(raw, SOL_SOCKET, SO_ERROR, &code, &size) != 0 { continue }
            }
            // The handshake has a timeout of its own and waits in the calls.
            guard code == 0, (try? descriptor.setNonBlocking(false)) != nil else { continue }
            return descriptor
        }
        return nil
    }
}
