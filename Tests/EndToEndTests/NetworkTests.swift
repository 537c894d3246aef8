import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Films that come from addresses: whom they are taken from, encrypted ones, and connections that break.
@Suite("Network")
struct NetworkTests {
    private static let options = ["--vo=null", "--ao=null", "--untimed"]

    @Test(
        "a server whose certificate is not valid is refused, and the reason is said",
        arguments: [("self-signed", "self-signed"), ("expired", "expired"), ("wrong-host", "another host name")])
    func refusedCertificate(name: String, reason: String) async throws {
        try await Desk.alone {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path(name))
            let player = try RunningPlayer(
                server.address + "/short.mp4", options: Self.options + ["--tls-ca-file=\(certificates.path("ca")).pem"])
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(player.child.errors.text.contains(reason), "\(player.child.errors.text)")
        }
    }

    @Test("an authority that the system does not know is refused without an option")
    func unknownAuthority() async throws {
        try await Desk.alone {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path("proper"))
            let player = try RunningPlayer(server.address + "/short.mp4", options: Self.options)
            #expect(try player.child.waitForExit().reason == .exited(2))
            #expect(player.child.errors.text.contains("issuer is unknown"), "\(player.child.errors.text)")
        }
    }

    @Test("a valid certificate is accepted, and with --tls-verify=no every certificate is", arguments: [true, false])
    func acceptedCertificate(isValid: Bool) async throws {
        try await Desk.alone {
            let certificates = try Certificates()
            let server = try FilmServer(folder: Fixtures.directory, certificate: certificates.path(isValid ? "proper" : "self-signed"))
            let option = isValid ? "--tls-ca-file=\(certificates.path("ca")).pem" : "--tls-verify=no"
            let player = try RunningPlayer(server.address + "/short.mp4", options: Self.options + [option])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1"))
        }
    }

    @Test("an encrypted HLS playlist plays whole, from disk and from a server", arguments: [false, true])
    func encryptedPlaylist(isRemote: Bool) async throws {
        try await Desk.alone {
            let scratch = try Scratch(), clip = try Fixtures.path("count30.ts")
            try Data((0..<16).map { UInt8($0 * 7 + 1) }).write(to: URL(fileURLWithPath: scratch.file("film.key")))
            try Data("film.key\n\(scratch.file("film.key"))\n".utf8).write(to: URL(fileURLWithPath: scratch.file("info")))
            try run("ffmpeg", [
                "-v", "error", "-i", clip, "-c", "copy", "-f", "hls", "-hls_time", "4", "-hls_list_size", "0",
                "-hls_key_info_file", scratch.file("info"), scratch.file("film.m3u8"),
            ])
            let sums = scratch.file("sums"), plain = scratch.file("plain")
            let server = isRemote ? try FilmServer(folder: scratch.path) : nil
            let address = server.map { $0.address + "/film.m3u8" } ?? scratch.file("film.m3u8")
            for (file, place) in [(address, sums), (clip, plain)] {
                let player = try RunningPlayer(files: [file], Self.options + ["--frame-checksums=\(place)"], nil, [:])
                #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            }
            func pictures(_ name: String) throws -> [Substring] { try scratch.text(name).split(separator: "\n").compactMap { $0.split(separator: " ").last } }
            #expect(try pictures("sums").count == 600)
            #expect(try pictures("sums") == pictures("plain"))
        }
    }

    @Test("where a connection breaks, the rest is fetched with another", arguments: [0, 2])
    func brokenConnection(busyAnswers: Int) async throws {
        try await Desk.alone {
            let server = try FilmServer(folder: Fixtures.directory, cutsAtHalf: true, busyAnswers: busyAnswers)
            let player = try RunningPlayer(server.address + "/count30.mkv", options: Self.options)
            #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1: 600 frames"), "\(player.child.output.text)")
        }
    }

    @Test("where the rest cannot be had, the film ends with an error and code 5", arguments: ["count30.mkv", "count30.mp4", "count30.ts"])
    func missingRest(name: String) async throws {
        try await Desk.alone {
            let server = try FilmServer(folder: Fixtures.directory, cutsAtHalf: true, allowsRanges: false)
            let player = try RunningPlayer(server.address + "/" + name, options: ["--vo=null", "--ao=null", "--pause"])
            let ipc = try player.ipc
            try ipc.setProperty("speed", 8)
            try ipc.setProperty("pause", false)
            let end = try ipc.waitForEvent("end-file", within: .seconds(60))
            #expect(end["reason"]?.string == "error", "\(end)")
            #expect(try player.child.waitForExit().reason == .exited(5))
            #expect(player.child.errors.text.contains("ended early"), "\(player.child.errors.text)")
        }
    }

    @Test("of an address up to half a minute is read ahead")
    func readAhead() async throws {
        try await Desk.alone {
            let server = try FilmServer(folder: Fixtures.directory)
            let player = try RunningPlayer(server.address + "/count30.mp4", options: ["--vo=null", "--ao=null", "--pause"])
            #expect(server.log.wait(for: "whole /count30.mp4"), "\(server.log.text)")
            try player.quit()
        }
    }
}

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
    init(folder: String, certificate: String? = nil, cutsAtHalf: Bool = false, allowsRanges: Bool = true, busyAnswers: Int = 0) throws {
        let script = """
            import http.server, os, ssl, sys
            folder, certificate, cuts, ranges, busy = sys.argv[1], sys.argv[2], sys.argv[3] == "1", sys.argv[4] == "1", int(sys.argv[5])
            state = {"cut": cuts, "busy": busy, "requests": 0}
            class Handler(http.server.SimpleHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def log_message(self, *a): pass
                def do_GET(self):
                    state["requests"] += 1
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
                    self.send_header("Content-Length", str(end + 1 - start))
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
            ["-c", script, folder, certificate ?? "", cutsAtHalf ? "1" : "0", allowsRanges ? "1" : "0", "\(busyAnswers)"])
        guard child.output.wait(for: "\n") else { throw RigError("no web server: \(child.errors.text)") }
        address = "\(certificate == nil ? "http" : "https")://127.0.0.1:" + child.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
