import TestSupport

/// An HTTPS server with a self-signed certificate.
final class TLSServer {
    private let directory: TemporaryDirectory
    private let server: LinkServer
    /// The address of the server.
    var address: String { server.address + "/" }

    init() throws {
        directory = try TemporaryDirectory()
        let certificate = directory.file("certificate")
        try run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1", "-addext",
                "subjectAltName=IP:127.0.0.1", "-out", certificate + ".pem", "-keyout", certificate + ".key",
            ])
        server = try LinkServer(directory.path, "{\"certificate\": \"\(certificate)\"}")
    }
}
