import Foundation
import Glibc
import TestSupport
import Testing

/// Tests drawing in a window of tmux and of GNU screen. The test process simulates the terminal outside.
@Suite("Terminal multiplexer")
struct TerminalMultiplexerTests {
    @Test("tmux passes images through if its option allows it, and shows characters otherwise")
    func tmuxPassesImagesThrough() async throws {
        try await TestEnvironment.runExclusively {
            for (isAllowed, replies, image) in [
                (true, TerminalReplies.kitty, "\u{1B}_Ga=T,f=24,i="), (true, .sixel, "\u{1B}P0;1;0q"),
                (false, .kitty, "\u{1B}_Ga=T"),
            ] {
                let directory = try RuntimeDirectory(), settings = directory.path + "/tmux.conf"
                try "set -g allow-passthrough \(isAllowed ? "on" : "off")\n".write(
                    toFile: settings, atomically: true, encoding: .utf8)
                let tmux = try start(
                    ["tmux", "-f", settings, "-S", directory.path + "/tmux", "new-session"], directory, replies)
                if isAllowed {
                    #expect(tmux.output.wait(for: image), "\(tmux.output.text.suffix(500))")
                    try checkCorner(of: tmux, socket: directory.path + "/ipc", image: image)
                } else {
                    #expect(tmux.output.wait(forTotalByteCount: 20_000))
                    #expect(!tmux.output.text.contains(image))
                }
                tmux.type("q")
                #expect(try tmux.child.waitForExit().isSuccess)
            }
        }
    }

    @Test("GNU screen passes images through if an option requests them")
    func screenPassesImagesThrough() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory()
            let screen = try start(
                ["screen", "-c", "/dev/null"], directory, .kitty, ["--vo=kitty"],
                environment: ["SCREENDIR": directory.path])
            #expect(screen.output.wait(for: "\u{1B}_Ga=T,f=24,i=1,p=1,q=2,C=1,"))
            // An image whose last piece is missing would damage the sequence that follows it.
            let isComplete = Deadline.poll(for: .seconds(10)) {
                screen.output.text.contains("\u{1B}_Gm=0;") ? true : nil
            }
            #expect(isComplete == true)
            // The end of the output is not checked: GNU screen may close a window before it has read everything.
            try checkCorner(of: screen, socket: directory.path + "/ipc", image: "\u{1B}_Ga=T,f=24,i=2,p=1")
            screen.type("q")
            try screen.child.waitForExit()
        }
    }

    /// Moves the picture to the corner of Picture-in-Picture, and checks that an image arrives from the compositor.
    ///
    /// - Parameter image: The start of the sequence of an image.
    private func checkCorner(of multiplexer: TerminalProcess, socket: String, image: String) throws {
        let ipc = try IPCClient(path: socket)
        try ipc.setProperty("picture-in-picture", true)
        try ipc.waitForProperty("picture-in-picture") { $0 == true }
        // The player itself draws characters now, so that images come from the compositor alone.
        let oldCount = multiplexer.output.text.components(separatedBy: image).count
        let hasImages = Deadline.poll(for: .seconds(10)) {
            multiplexer.output.text.components(separatedBy: image).count >= oldCount + 5 ? true : nil
        }
        #expect(hasImages == true, "\(multiplexer.output.text.suffix(500))")
    }

    /// Starts a multiplexer with a player in its window, and waits until the player has shown some pictures.
    private func start(
        _ multiplexer: [String], _ directory: RuntimeDirectory, _ replies: TerminalReplies, _ options: [String] = [],
        environment: [String: String?] = [:]
    ) throws -> TerminalProcess {
        let socket = directory.path + "/ipc"
        let player = [
            try Products.swiftplayPath, "--input-ipc-server=\(socket)", "--vo=terminal", "--speed=0.4",
            // On a busy machine the film would end before the test.
            "--loop-file=inf",
        ]
        let changes: [String: String?] = ["DISPLAY": nil, "TMUX": nil, "STY": nil, "LC_ALL": "C.UTF-8"]
        let pty = try TerminalProcess(
            "/usr/bin/env", multiplexer + player + options + [Fixtures.path("count30.mp4")],
            environment: changes.merging(environment) { _, value in value }, runtimeDirectory: directory,
            replies: replies)
        let ipc = try IPCClient(path: socket)
        try ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 5 }
        return pty
    }
}
