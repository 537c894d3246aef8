import SystemCalls
import TestSupport

/// An HTTPS server with a self-signed certificate.
final class TLSServer {
    private let directory: TemporaryDirectory
    private let server: LinkServer
    /// The address of the server, with a slash at its end.
    var address: String { server.address + "/" }
    /// The finished requests.
    var requests: [LinkServer.Request] { server.requests }

    /// Starts a server of one file.
    ///
    /// - Parameters:
    ///   - content: The content of the file `content`.
    ///   - settings: Further settings of ``LinkServer``, as members of a JSON object.
    init(_ content: [UInt8] = [], _ settings: String = "") throws {
        directory = try TemporaryDirectory()
        let certificate = directory.file("certificate")
        try run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate + ".pem",
                "-keyout", certificate + ".key",
            ])
        _ = try TestFile(directory.file("content"), content)
        server = try LinkServer(directory.path, "{\"certificate\": \"\(certificate)\"\(settings)}")
    }

    /// Opens the server's certificate.
    func certificate() throws -> SharedDescriptor {
        SharedDescriptor(try FileDescriptor(opening: directory.file("certificate.pem"), flags: 0))
    }
}
