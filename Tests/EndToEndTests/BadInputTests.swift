import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// What cannot be played is said in one line, and what can be is played.
@Suite("Bad input")
struct BadInputTests {
    @Test(
        "one line names the file and the reason, and the code is 2",
        arguments: [
            ("nowhere.mp4", "No such file"), ("", "is a directory"), ("empty.mp4", "empty"), ("text.mp4", ""),
            ("nomoov.mp4", ""),
            ("unsupported.mp4", ""), ("http://127.0.0.1:9/x.mp4", "refused"),
        ])
    func refused(name: String, reason: String) async throws {
        try await Desk.alone {
            let file = name.contains("/") ? name : Fixtures.directory + "/" + name
            let player = try RunningPlayer(file)
            #expect(try player.child.waitForExit().reason == .exited(2))
            let errors = player.child.errors.text
            let lines = errors.split(separator: "\n")
            #expect(lines.count == 1, "\(errors)")
            let prefix = "swiftplay: \(file): "
            #expect(errors.hasPrefix(prefix) && errors.hasSuffix("\n"), "\(errors)")
            let why = errors.dropFirst(prefix.count).trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(!why.isEmpty && (reason.isEmpty || why.localizedCaseInsensitiveContains(reason)), "\(errors)")
        }
    }

    @Test("beside a good file a bad one is told of and left out, and the code is 3")
    func mixed() async throws {
        try await Desk.alone {
            let options = ["--vo=null", "--ao=null", "--untimed"]
            let player = try RunningPlayer("text.mp4", "short.mp4", "empty.mp4", options: options)
            #expect(try player.child.waitForExit().reason == .exited(3))
            #expect(player.child.errors.text.split(separator: "\n").count == 2, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 3"), "\(player.child.output.text)")
        }
    }

    @Test("a file that is cut off plays as far as it goes")
    func truncated() async throws {
        try await Desk.alone {
            let scratch = try Scratch()
            let player = try RunningPlayer(
                "truncated.mp4", options: ["--vo=null", "--ao=null", "--untimed", "--stats=\(scratch.file("stats"))"])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            let decoded = try #require(statistics["frames-decoded"]?.number)
            #expect(decoded > 200 && decoded < 400)
        }
    }

    @Test("a file on a web server plays, and can be sought in")
    func web() async throws {
        try await Desk.alone {
            let server = try WebServer(folder: Fixtures.directory)
            let player = try RunningPlayer(server.address + "/count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 5 }
            try player.ipc.setProperty("pause", true)
            try player.ipc.command(["seek", 10, "absolute"])
            try watcher.waitForFrame(in: .player) { $0 == 300 }
            try player.quit()
        }
    }

    @Test("a playlist from the web cannot open a local file")
    func policy() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), clip = try Fixtures.path("count30.ts")
            let list = "#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXTINF:20,\nfile://\(clip)\n#EXT-X-ENDLIST\n"
            try Data(list.utf8).write(to: URL(fileURLWithPath: scratch.file("list.m3u8")))
            let server = try WebServer(folder: scratch.path)
            let player = try RunningPlayer(
                server.address + "/list.m3u8", options: ["--vo=null", "--ao=null", "--untimed"])
            let status = try player.child.waitForExit()
            #expect(status.reason == .exited(2), "\(status)")
            #expect(
                player.child.errors.text.hasPrefix("swiftplay: \(server.address)/list.m3u8: "),
                "\(player.child.errors.text)")
            #expect(!player.child.output.text.contains("played 1"))
        }
    }
}

/// Serves a folder over HTTP on this machine, with byte ranges; ends with this object.
final class WebServer {
    let address: String
    private let child: ChildProcess

    init(folder: String) throws {
        let script = """
            import http.server, os, sys
            class Handler(http.server.SimpleHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def log_message(self, *a): pass
                def do_GET(self):
                    try: data = open(self.translate_path(self.path), "rb").read()
                    except OSError: return self.send_error(404)
                    span = self.headers.get("Range", "bytes=0-").split("=")[1].split("-")
                    start = int(span[0]); end = int(span[1]) if span[1] else len(data) - 1
                    self.send_response(206 if "Range" in self.headers else 200)
                    self.send_header("Accept-Ranges", "bytes")
                    self.send_header("Content-Range", f"bytes {start}-{end}/{len(data)}")
                    self.send_header("Content-Length", str(end + 1 - start))
                    self.end_headers()
                    try: self.wfile.write(data[start:end + 1])
                    except OSError: self.close_connection = True
            os.chdir(sys.argv[1])
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        child = try ChildProcess(Products.system("python3"), ["-c", script, folder])
        guard child.output.wait(for: "\n") else { throw RigError("no web server: \(child.errors.text)") }
        address = "http://127.0.0.1:" + child.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
