import Foundation
import TestSupport

/// Certificates of all kinds for 127.0.0.1, made anew; gone with this object.
final class Certificates {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let script = """
            set -e
            cd "$1"
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj "/CN=Test authority"
            make() {
                openssl req -newkey rsa:2048 -nodes -keyout $1.key -out $1.csr -subj "/CN=$1"
                echo "subjectAltName=$2" > $1.ext
                openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $3 -extfile $1.ext -out $1.pem
            }
            make proper IP:127.0.0.1 30
            make wrong-host DNS:elsewhere.example 30
            make expired IP:127.0.0.1 -1
            openssl req -x509 -newkey rsa:2048 -nodes -keyout self-signed.key -out self-signed.pem -days 30 -subj "/CN=127.0.0.1" \\
                -addext subjectAltName=IP:127.0.0.1
            """
        try run("bash", ["-c", script, "bash", scratch.path])
    }

    /// Of a certificate and its key, without their extensions.
    func path(_ name: String) -> String { scratch.file(name) }
}

/// Serves a folder over HTTP, with or without TLS, as well or badly as it is told; ends with this object.
final class FilmServer {
    let address: String
    private let child: ChildProcess
    /// A line for each file that was sent to its end: `whole /PATH`.
    var log: OutputBuffer { child.errors }

    /// - Parameters:
    ///   - certificate: the path of one of ``Certificates``; nil: no TLS.
    ///   - cutsAtHalf: the first answer with a whole film ends at its half.
    ///   - allowsRanges: parts of a film are sent; else whole ones alone, and each ends at its half.
    ///   - busyAnswers: so many requests after the first are answered with 503.
    ///   - statesLength: answers state their length; else the connection's end is theirs.
    ///   - redirect: the address of another server, to which every request is redirected.
    init(
        folder: String, certificate: String? = nil, cutsAtHalf: Bool = false, allowsRanges: Bool = true,
        busyAnswers: Int = 0,
        statesLength: Bool = true, redirect: String = ""
    ) throws {
        let script = """
            import http.server, os, ssl, sys
            folder, certificate, cuts, ranges, busy = sys.argv[1], sys.argv[2], sys.argv[3] == "1", sys.argv[4] == "1", int(sys.argv[5])
            lengths, redirect = sys.argv[6] == "1", sys.argv[7]
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
            Products.system("python3"),
            [
                "-c", script, folder, certificate ?? "", cutsAtHalf ? "1" : "0", allowsRanges ? "1" : "0",
                "\(busyAnswers)",
                statesLength ? "1" : "0", redirect,
            ])
        guard child.output.wait(for: "\n") else { throw RigError("no web server: \(child.errors.text)") }
        address =
            "\(certificate == nil ? "http" : "https")://127.0.0.1:"
            + child.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// An HTTP proxy for secure connections (`CONNECT`); ends with this object.
final class ConnectProxy {
    let address: String
    private let child: ChildProcess
    /// A line for each connection: `CONNECT HOST:PORT`.
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
        child = try ChildProcess(Products.system("python3"), ["-c", script])
        guard child.output.wait(for: "\n") else { throw RigError("no proxy: \(child.errors.text)") }
        address = "http://127.0.0.1:" + child.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
