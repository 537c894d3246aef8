import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests that each file that cannot be played is reported in one line, and does not prevent other files from playing.
@Suite("Bad input")
struct BadInputTests {
    @Test(
        "one line names the unplayable file and the reason, and the exit code is 2",
        arguments: [
            ("nowhere.mp4", "No such file"), ("empty.mp4", "empty"), ("text.mp4", ""),
            ("nomoov.mp4", ""),
            ("unsupported.mp4", ""), ("http://127.0.0.1:9/x.mp4", "refused"),
        ])
    func unplayableFileIsReportedInOneLine(name: String, reason: String) async throws {
        try await TestEnvironment.runExclusively {
            let file = name.contains("/") ? name : Fixtures.directory + "/" + name
            let player = try RunningPlayer(file)
            #expect(try player.child.waitForExit().reason == .exited(2))
            let errors = player.child.errors.text
            let lines = errors.split(separator: "\n")
            #expect(lines.count == 1, "\(errors)")
            let prefix = "swiftplay: \(file): "
            #expect(errors.hasPrefix(prefix) && errors.hasSuffix("\n"), "\(errors)")
            let detail = errors.dropFirst(prefix.count).trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(!detail.isEmpty && (reason.isEmpty || detail.localizedCaseInsensitiveContains(reason)), "\(errors)")
        }
    }

    @Test("a closed standard input is an empty file, not another file of the program")
    func closedStandardInputIsEmpty() async throws {
        try await TestEnvironment.runExclusively {
            let child = try ChildProcess(
                "/bin/sh", ["-c", "exec \(try Products.path("swiftplay")) --vo=null --ao=null - <&-"])
            #expect(try child.waitForExit().reason == .exited(2))
            #expect(child.errors.text.hasPrefix("swiftplay: -: is not a media file"), "\(child.errors.text)")
        }
    }

    @Test("unplayable files in a list are reported and skipped, and the exit code is 3")
    func unplayableFilesInAListAreReportedAndSkipped() async throws {
        try await TestEnvironment.runExclusively {
            let options = ["--vo=null", "--ao=null", "--untimed"]
            let player = try RunningPlayer("text.mp4", "short.mp4", "empty.mp4", options: options)
            #expect(try player.child.waitForExit().reason == .exited(3))
            #expect(player.child.errors.text.split(separator: "\n").count == 2, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 3"), "\(player.child.output.text)")
        }
    }

    @Test("a truncated file plays up to its end")
    func truncatedFilePlaysUpToItsEnd() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory()
            let player = try RunningPlayer(
                "truncated.mp4", options: ["--vo=null", "--ao=null", "--untimed", "--stats=\(scratch.file("stats"))"])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            let decodedFrameCount = try #require(statistics["frames-decoded"]?.number)
            #expect(decodedFrameCount > 200 && decodedFrameCount < 400)
        }
    }

    @Test("a file on a web server plays and seeks")
    func fileOnAWebServerPlaysAndSeeks() async throws {
        try await TestEnvironment.runExclusively {
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
    func playlistFromTheWebCannotOpenALocalFile() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), clip = try Fixtures.path("count30.ts")
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

/// A local HTTP server that serves a folder and supports byte ranges. The server is killed when this object is
/// deinitialised.
final class WebServer {
    /// The URL of the served folder.
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
        child = try ChildProcess(Products.systemProgram("python3"), ["-c", script, folder])
        guard child.output.wait(for: "\n") else {
            throw TestFailure("the web server did not start: \(child.errors.text)")
        }
        address = "http://127.0.0.1:" + child.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
