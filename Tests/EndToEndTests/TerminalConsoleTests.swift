import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests the keys and the status line in a terminal in which no picture is drawn.
@Suite("Terminal without pictures")
struct TerminalConsoleTests {
    private struct ConsolePlayer {
        /// The runtime directory. It is kept because its deinitialisation kills the player.
        let directory: RuntimeDirectory
        let pty: TerminalProcess
        let ipc: IPCClient
    }

    /// Starts a player in a terminal for a sample clip, with the video track off.
    private static func startPlayer(
        options: [String] = [], shellSuffix: String? = nil, environment: [String: String?] = [:]
    ) throws -> ConsolePlayer {
        let directory = try RuntimeDirectory(), socket = directory.path + "/ipc"
        let arguments =
            ["--input-ipc-server=\(socket)", "--no-video", "--loop-file=inf"] + options
            + [try Fixtures.path("count30.mp4")]
        let environment = environment.merging(["LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]) { given, _ in
            given
        }
        let pty: TerminalProcess
        if let shellSuffix {
            pty = try TerminalProcess(
                Products.systemProgram("sh"),
                ["-c", "exec \"$0\" \"$@\" " + shellSuffix, Products.swiftplayPath] + arguments,
                environment: environment, runtimeDirectory: directory)
        } else {
            pty = try TerminalProcess(
                Products.swiftplayPath, arguments, environment: environment, runtimeDirectory: directory)
        }
        let ipc = try IPCClient(path: socket)
        try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0.1 }
        return ConsolePlayer(directory: directory, pty: pty, ipc: ipc)
    }

    @Test("keys pause and quit, and the status line follows the state and the size of the terminal")
    func keysAndStatusLineWork() async throws {
        try await TestEnvironment.runExclusively {
            let player = try Self.startPlayer(options: ["--msg-level=all=status"])
            let (pty, ipc) = (player.pty, player.ipc)
            #expect(pty.output.wait(for: "A: 00:00:"))
            #expect(pty.output.wait(for: "━"))
            #expect(pty.output.wait(for: "Playing: count30.mp4"))
            pty.type(" ")
            try ipc.waitForProperty("pause") { $0 == true }
            #expect(pty.output.wait(for: "\r(Paused) A: 00:00:"))
            try pty.terminal.resize(to: .init(columns: 12, rows: 5))
            #expect(pty.output.wait(for: "\r(Paused) A:\u{1B}[J\r"))
            _ = try ipc.command(["print-text", "a\u{1B}[31mline"])
            #expect(pty.output.wait(for: "\r\u{1B}[Ja?[31mline\r\n\r(Paused) A:\u{1B}[J\r"))
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(pty.settingsAreRestored)
            withExtendedLifetime(player) {}
        }
    }

    @Test("a frozen terminal delays neither sound nor commands", .measuresTime)
    func frozenTerminalDoesNotDelaySound() async throws {
        try await TestEnvironment.runExclusively {
            let player = try Self.startPlayer(), (pty, ipc) = (player.pty, player.ipc)
            let recorder = try AudioRecorder()
            try recorder.waitForSound()
            pty.freeze()
            let start = MonotonicTime.now
            // Write more text than the kernel buffers for a terminal.
            for _ in 0..<150 { _ = try ipc.command(["print-text", .string(String(repeating: "x", count: 200))]) }
            let end = start + 2 * MonotonicTime.nanosecondsPerSecond
            try recorder.wait(until: end)
            let recording = recorder.stopRecording().between(start, end)
            #expect(recording.silentGaps(shortest: .milliseconds(10)).isEmpty)
            pty.resume()
            pty.type("q")
            let status = try pty.child.waitForExit()
            #expect(status.isSuccess, "\(status)")
            #expect(pty.settingsAreRestored)
            withExtendedLifetime(player) {}
        }
    }

    @Test("no control code is written if standard error is a file, or if the terminal is dumb; the keys work")
    func noControlCodesAreWrittenWithoutATerminal() async throws {
        try await TestEnvironment.runExclusively {
            let file = try TemporaryDirectory()
            let errors = file.path + "/errors"
            for (suffix, type) in [("2>'\(errors)'", "xterm-256color"), (nil, "dumb")] as [(String?, String)] {
                let player = try Self.startPlayer(shellSuffix: suffix, environment: ["TERM": type])
                _ = try player.ipc.command(["print-text", "text"])
                player.pty.type("m")
                try player.ipc.waitForProperty("mute") { $0 == true }
                player.pty.type("q")
                #expect(try player.pty.child.waitForExit().isSuccess)
                #expect(player.pty.settingsAreRestored)
                #expect(player.pty.output.text == (suffix == nil ? "text\r\n" : ""))
            }
            #expect(try String(contentsOfFile: errors, encoding: .utf8) == "text\n")
        }
    }
}
