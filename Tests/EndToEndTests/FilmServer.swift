import Foundation
import TestSupport

/// TLS certificates for a server at 127.0.0.1, one valid and three invalid, which are created for a test. The files are
/// deleted when this object is deinitialised.
final class Certificates {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
        let script = """
            set -e
            cd "$1"
            key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1"
            openssl req -x509 $key -nodes -keyout ca.key -out ca.pem -days 30 -subj "/CN=Test authority"
            make() {
                openssl req $key -nodes -keyout $1.key -out $1.csr -subj "/CN=$1"
                echo "subjectAltName=$2" > $1.ext
                openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $3 \\
                    -extfile $1.ext -out $1.pem
            }
            make proper IP:127.0.0.1 30
            make wrong-host DNS:elsewhere.example 30
            make expired IP:127.0.0.1 -1
            openssl req -x509 $key -nodes -keyout self-signed.key -out self-signed.pem -days 30 \\
                -subj "/CN=127.0.0.1" -addext subjectAltName=IP:127.0.0.1
            """
        try run("bash", ["-c", script, "bash", scratch.path])
    }

    /// Returns the path of a certificate (`.pem`) and its key (`.key`) without the extensions. `name` is `proper`,
    /// `wrong-host`, `expired`, `self-signed` or `ca`.
    func path(_ name: String) -> String { scratch.file(name) }
}

/// A local HTTP server that serves a folder, with optional TLS and optional faults. The server is killed when this
/// object is deinitialised.
final class FilmServer {
    /// The URL of the served folder.
    let address: String
    private let child: ChildProcess
    /// The log of the server: a line `whole /PATH` for each response that was sent completely.
    var log: OutputBuffer { child.errors }

    /// Starts a server, and waits until it listens.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder to serve.
    ///   - certificate: a path that ``Certificates/path(_:)`` returned; nil for HTTP without TLS.
    ///   - cutsAtHalf: whether the server closes the connection in the middle of the file: once if `allowsRanges` is
    ///     true, otherwise in each response.
    ///   - allowsRanges: whether the server serves byte ranges. Otherwise it always sends the whole file.
    ///   - busyReplyCount: the number of requests with the response status 503, beginning with the second
    ///     request, which follows the connection that was closed in the middle of the file.
    ///   - sendsContentLength: whether responses have a `Content-Length`. Otherwise they end with the connection.
    ///   - redirect: the address of another server, to which every request is redirected; empty for no redirect.
    init(
        folder: String, certificate: String? = nil, cutsAtHalf: Bool = false, allowsRanges: Bool = true,
        busyReplyCount: Int = 0,
        sendsContentLength: Bool = true, redirect: String = ""
    ) throws {
        let script = """
            import http.server, os, ssl, sys
            folder, certificate, busy, redirect = sys.argv[1], sys.argv[2], int(sys.argv[5]), sys.argv[7]
            cuts, ranges, lengths = (sys.argv[i] == "1" for i in (3, 4, 6))
            state = {"cut": cuts, "busy": busy, "requests": 0}
            class Handler(http.server.SimpleHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def log_message(self, *a): pass
                def do_GET(self):
                    state["requests"] += 1
                    if redirect:
                        self.send_response(302)
                        self.send_header("Location", redirect + self.path)
                        self.send_header("Content-Length", "0")
                        return self.end_headers()
                    try: data = open(self.translate_path(self.path), "rb").read()
                    except OSError: return self.send_error(404)
                    if state["requests"] > 1 and not state["cut"] and state["busy"] > 0:
                        state["busy"] -= 1
                        self.send_response(503)
                        self.send_header("Content-Length", "0")
                        return self.end_headers()
                    start, end, partial = 0, len(data) - 1, "Range" in self.headers and ranges
                    if partial:
                        span = self.headers["Range"].split("=")[1].split("-")
                        start, end = int(span[0]), int(span[1]) if span[1] else end
                    self.send_response(206 if partial else 200)
                    if ranges: self.send_header("Accept-Ranges", "bytes")
                    if partial: self.send_header("Content-Range", f"bytes {start}-{end}/{len(data)}")
                    if lengths: self.send_header("Content-Length", str(end + 1 - start))
                    else: self.send_header("Connection", "close")
                    self.end_headers()
                    half = len(data) // 2
                    cut = state["cut"] and start < half <= end
                    try:
                        self.wfile.write(data[start:half if cut else end + 1])
                        if not cut: print("whole", self.path, file=sys.stderr, flush=True)
                    except OSError: cut = True
                    if cut:
                        self.close_connection = True
                        if ranges: state["cut"] = False
            os.chdir(folder)
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            if certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(certificate + ".pem", certificate + ".key")
                server.socket = context.wrap_socket(server.socket, server_side=True)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        child = try ChildProcess(
            Products.systemProgram("python3"),
            [
                "-c", script, folder, certificate ?? "", cutsAtHalf ? "1" : "0", allowsRanges ? "1" : "0",
                "\(busyReplyCount)",
                sendsContentLength ? "1" : "0", redirect,
            ])
        guard child.output.wait(for: "\n") else {
            throw TestFailure("the web server did not start: \(child.errors.text)")
        }
        address =
            "\(certificate == nil ? "http" : "https")://127.0.0.1:"
            + child.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// An HTTP proxy for TLS connections (method `CONNECT`, RFC 9110). The proxy is killed when this object is
/// deinitialised.
final class ConnectProxy {
    /// The URL of the proxy.
    let address: String
    private let child: ChildProcess
    /// The log of the proxy: a line `CONNECT HOST:PORT` for each connection.
    var log: OutputBuffer { child.errors }

    init() throws {
        let script = """
            import select, socket, socketserver, sys
            class Handler(socketserver.StreamRequestHandler):
                def handle(self):
                    request = self.rfile.readline().decode().split()
                    while self.rfile.readline().strip(): pass
                    print(*request[:2], file=sys.stderr, flush=True)
                    if request[0] != "CONNECT": return
                    host, port = request[1].rsplit(":", 1)
                    with socket.create_connection((host, int(port))) as other:
                        self.wfile.write(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
                        pairs = {self.connection: other, other: self.connection}
                        while True:
                            for one in select.select(list(pairs), [], [])[0]:
                                data = one.recv(65536)
                                if not data: return
                                pairs[one].sendall(data)
            class Server(socketserver.ThreadingTCPServer): daemon_threads = True
            server = Server(("127.0.0.1", 0), Handler)
            print(server.server_address[1], flush=True)
            server.serve_forever()
            """
        child = try ChildProcess(Products.systemProgram("python3"), ["-c", script])
        guard child.output.wait(for: "\n") else { throw TestFailure("the proxy did not start: \(child.errors.text)") }
        address = "http://127.0.0.1:" + child.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
