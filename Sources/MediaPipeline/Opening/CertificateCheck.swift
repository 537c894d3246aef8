import CFFmpeg
import Glibc
import SystemCalls

/// Determines whether a server's certificate is the reason for a failed request, and what is wrong with the
/// certificate. FFmpeg reports only a generic input error.
///
/// Repeats the connections over the same proxy as FFmpeg, and follows redirects. Sends a request only to a server to
/// which FFmpeg has sent the same request, never to a server whose certificate is rejected. Each connection attempt,
/// TLS handshake and read blocks for at most ``timeout``; the name resolver has its own timeout.
struct CertificateCheck {
    /// The certificates that the program accepts.
    let trust: TLSTrust
    /// The callback with which FFmpeg's connections poll whether to end the check early.
    let interruption: AVIOInterruptCB

    /// The timeout of one connection attempt, TLS handshake or read, in nanoseconds.
    private static let timeout: Int64 = 3_000_000_000
    /// The maximum number of redirects that the check follows; equals FFmpeg's limit.
    private static let redirectLimit = 8
    /// The maximum number of bytes read from a server's response.
    private static let replyLimit = 16 * 1024

    /// The parts of an address that a request to its server needs.
    private struct Server {
        /// Whether the scheme of the address is https.
        var isSecure: Bool
        /// The host name, zero-terminated.
        var host: [CChar]
        /// The TCP port; the default port of the scheme if the address states none.
        var port: Int32
        /// The path of the address with its query.
        var path: String

        init?(_ url: String) {
            guard let scheme = OpenPolicy.scheme(of: url), scheme == "http" || scheme == "https" else { return nil }
            isSecure = scheme == "https"
            var name = [CChar](repeating: 0, count: 1024), path = [CChar](repeating: 0, count: 8192), port: Int32 = -1
            av_url_split(nil, 0, nil, 0, &name, Int32(name.count), &port, &path, Int32(path.count), url)
            host = name
            self.port = port > 0 ? port : isSecure ? 443 : 80
            let text = CertificateCheck.text(path)
            self.path = text.hasPrefix("/") ? text : "/" + text
        }

        /// The host name.
        var name: String { CertificateCheck.text(host) }
        /// Host and port in URL syntax: IPv6 addresses in brackets.
        var authority: String { (name.contains(":") ? "[\(name)]" : name) + ":\(port)" }
    }

    /// Checks the certificates of an address's server and of the servers to which it redirects.
    ///
    /// - Returns: The error; nil if the certificates are not the reason for the failed request.
    func fault(of url: String) -> MediaError? {
        guard trust != .anything else { return nil }
        var address = url
        for _ in 0...Self.redirectLimit {
            guard let server = Server(address) else { return nil }
            if server.isSecure, case .authorities(let file) = trust, access(file, R_OK) != 0 {
                return MediaError(.untrustedServer, "the certificate authorities in \(file) cannot be read")
            }
            guard let reply = reply(of: server, to: address) else { return server.isSecure ? fault(of: server) : nil }
            guard let next = HTTPRedirect.target(of: reply, from: address) else { return nil }
            address = next
        }
        return nil
    }

    /// Determines why a secure connection failed. The certificate is the reason if a connection without verification
    /// succeeds.
    private func fault(of server: Server) -> MediaError? {
        var connection = open("tls://" + server.authority, trust: .anything)
        guard connection != nil else { return nil }
        avio_closep(&connection)
        let status = Self.proxy == nil ? certificateStatus(of: server) : -1
        let reason = status > 0 ? "is not trusted: \(Self.faultText(for: status))" : "is not accepted"
        return MediaError(.untrustedServer, "the certificate of \(server.name) \(reason)")
    }

    /// The HTTP proxy that FFmpeg uses. If it is set, all connections must use it.
    private static var proxy: String? {
        getenv("http_proxy").map { String(cString: $0) }.flatMap { $0.hasPrefix("http://") ? $0 : nil }
    }

    /// Sends a request and returns the response headers; nil if the connection failed.
    private func reply(of server: Server, to address: String) -> [UInt8]? {
        // FFmpeg's TLS protocol uses the proxy itself; a plain request to a proxy contains the full address.
        let proxy = server.isSecure ? nil : Self.proxy.flatMap { Server($0) }
        var connection = open((server.isSecure ? "tls://" : "tcp://") + (proxy ?? server).authority, trust: trust)
        guard let opened = connection else { return nil }
        defer { avio_closep(&connection) }
        let request =
            "GET \(proxy == nil ? server.path : address) HTTP/1.1\r\nHost: \(server.authority)\r\nAccept: */*\r\n"
            + "Range: bytes=0-0\r\nConnection: close\r\n\r\n"
        var reply = [UInt8](repeating: 0, count: Self.replyLimit)
        let count = cffmpeg_http_exchange(opened, request, &reply, Int32(reply.count))
        return Array(reply.prefix(Int(max(0, count))))
    }

    /// Opens a connection that accepts the certificates of `trust`; nil if it fails or times out.
    private func open(_ address: String, trust: TLSTrust) -> UnsafeMutablePointer<AVIOContext>? {
        var context: UnsafeMutablePointer<AVIOContext>?, callback = interruption, options: OpaquePointer?
        defer { av_dict_free(&options) }
        av_dict_set(&options, "protocol_whitelist", "tls,tcp,httpproxy", 0)
        av_dict_set_int(&options, "timeout", Self.timeout / 1000, 0)
        av_dict_set_int(&options, "rw_timeout", Self.timeout / 1000, 0)
        trust.apply(to: &options)
        return avio_open2(&context, address, AVIO_FLAG_READ_WRITE, &callback, &options) >= 0 ? context : nil
    }

    /// Returns GnuTLS's certificate status bits; 0 if the certificate is valid, -1 if GnuTLS is not available or cannot
    /// connect.
    private func certificateStatus(of server: Server) -> Int32 {
        guard let socket = Self.connect(to: server.host, port: server.port) else { return -1 }
        var address = in6_addr()
        let isNumber = inet_pton(AF_INET, server.host, &address) == 1 || inet_pton(AF_INET6, server.host, &address) == 1
        return cffmpeg_certificate_status(
            socket.raw, server.host, isNumber ? 1 : 0, trust.file, UInt32(Self.timeout / 1_000_000))
    }

    /// Returns the faults in GnuTLS's certificate status bits, as a part of a sentence.
    static func faultText(for status: Int32) -> String {
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

    /// Converts a zero-terminated C string.
    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Connects a TCP socket; nil if no address of the host answers in time.
    private static func connect(to host: [CChar], port: Int32) -> FileDescriptor? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        let deadline = MonotonicTime.now + timeout
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
            // The TLS handshake blocks, with its own timeout.
            guard code == 0, (try? descriptor.setNonBlocking(false)) != nil else { continue }
            return descriptor
        }
        return nil
    }
}
