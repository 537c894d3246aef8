import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests drawing in a terminal without an X server, and that the player restores the terminal however it exits.
@Suite("Terminal")
struct TerminalTests {
    @Test("the picture is drawn, the keys work, and q restores the terminal")
    func keysWorkAndQuitRestoresTheTerminal() async throws {
        try await TestEnvironment.runExclusively {
            let player = try Self.startPlayer(), (pty, ipc) = (player.pty, player.ipc)
            // The query for 24-bit colours contains `ESC [ 48 ; 2`; a picture also contains other colours.
            let isColoured = pty.output.text.contains(";48;2;")
            #expect(isColoured)
            #expect(!pty.terminal.isCooked)
            pty.type(" ")
            try ipc.waitForProperty("pause") { $0 == true }
            pty.type("\u{1B}[C")
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) >= 5 }
            pty.type("m")
            try ipc.waitForProperty("mute") { $0 == true }
            pty.type(" ")
            try ipc.waitForProperty("pause") { $0 == false }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            Self.expectTerminalIsRestored(pty)
            withExtendedLifetime(player) {}
        }
    }

    @Test(
        "the terminal is restored after a signal and after a crash",
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT])
    func terminalIsRestoredAfterSignalsAndCrashes(signal: Int32) async throws {
        try await TestEnvironment.runExclusively {
            let player = try Self.startPlayer(), pty = player.pty
            pty.child.signal(signal)
            let isCrash = signal == SIGSEGV || signal == SIGABRT
            #expect(try pty.child.waitForExit().reason == (isCrash ? .killed(signal: signal) : .exited(4)))
            Self.expectTerminalIsRestored(pty)
            withExtendedLifetime(player) {}
        }
    }

    @Test("the terminal is restored after the player is killed")
    func terminalIsRestoredAfterSIGKILL() async throws {
        try await TestEnvironment.runExclusively {
            let player = try Self.startPlayer(), pty = player.pty
            pty.child.signal(SIGKILL)
            #expect(try pty.child.waitForExit().reason == .killed(signal: SIGKILL))
            let isRestored = Deadline.poll(for: .seconds(10)) { pty.settingsAreRestored ? true : nil }
            #expect(isRestored == true)
            Self.expectTerminalIsRestored(pty)
            withExtendedLifetime(player) {}
        }
    }

    @Test("a terminal that reports sixel graphics shows them")
    func sixelGraphicsAreChosen() async throws {
        try await TestEnvironment.runExclusively {
            let player = try Self.startPlayer(replies: .sixel), pty = player.pty
            #expect(pty.output.wait(for: "\u{1B}P0;1;0q"))
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            Self.expectTerminalIsRestored(pty)
            withExtendedLifetime(player) {}
        }
    }

    @Test("the picture follows the size of the terminal")
    func pictureFollowsTheTerminalSize() async throws {
        try await TestEnvironment.runExclusively {
            let player = try Self.startPlayer(replies: .plain), pty = player.pty
            let lowestRow = Self.lowestRow(in: pty.output.bytes)
            #expect(lowestRow > 20, "\(lowestRow)")
            try pty.terminal.resize(to: .init(columns: 60, rows: 15))
            // Check only the latest output, because the buffer still contains pictures of the old size.
            let isResized = Deadline.poll(for: .seconds(5), every: .milliseconds(50)) {
                (1...15).contains(Self.lowestRow(in: pty.output.bytes.suffix(4000))) ? true : nil
            }
            #expect(isResized == true, "row \(Self.lowestRow(in: pty.output.bytes.suffix(4000)))")
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            Self.expectTerminalIsRestored(pty)
            withExtendedLifetime(player) {}
        }
    }

    @Test("a frozen terminal does not block playback, and the player quits after it continues")
    func frozenTerminalDoesNotBlockPlayback() async throws {
        try await TestEnvironment.runExclusively {
            let player = try Self.startPlayer(), (pty, ipc) = (player.pty, player.ipc)
            pty.freeze()
            let time = try #require(ipc.property("time-pos").number)
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 1 }
            pty.resume()
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            Self.expectTerminalIsRestored(pty)
            withExtendedLifetime(player) {}
        }
    }

    private struct TerminalPlayer {
        /// The runtime directory. It is kept because its deinitialisation kills the player.
        let directory: RuntimeDirectory
        let pty: TerminalProcess
        let ipc: IPCClient
    }

    /// Starts a player in a terminal and waits until it has drawn some pictures.
    private static func startPlayer(replies: TerminalReplies = .plain) throws -> TerminalPlayer {
        let directory = try RuntimeDirectory(), socket = directory.path + "/ipc"
        let pty = try TerminalProcess(
            Products.swiftplayPath, ["--input-ipc-server=\(socket)", Fixtures.path("count30.mp4")],
            // Swift's interactive backtraces would wait for the user's input after a crash.
            environment: ["DISPLAY": nil, "SWIFT_BACKTRACE": "enable=no"],
            runtimeDirectory: directory, replies: replies)
        let ipc = try IPCClient(path: socket)
        try ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 10 }
        guard pty.output.wait(forTotalByteCount: 20_000) else {
            throw TestFailure("no picture: \(pty.output.text.suffix(500))")
        }
        return TerminalPlayer(directory: directory, pty: pty, ipc: ipc)
    }

    /// Checks that the terminal settings, the normal screen and the cursor are restored.
    private static func expectTerminalIsRestored(_ pty: TerminalProcess) {
        #expect(pty.settingsAreRestored)
        // Wait for the last output, which may arrive after the process has exited.
        let isRestored = pty.output.wait(for: "\u{1B}[?1049l") && pty.output.wait(for: "\u{1B}[?25h")
        #expect(isRestored)
        let output = pty.output.text
        for (on, off) in [("\u{1B}[?1049h", "\u{1B}[?1049l"), ("\u{1B}[?25l", "\u{1B}[?25h")] {
            guard let start = output.range(of: on, options: .backwards) else { continue }
            let isReset = output[start.upperBound...].contains(off)
            #expect(isReset, "\(off.dropFirst()) is missing")
        }
    }

    /// Returns the largest row number to which `bytes`, the output of the player, move the cursor.
    private static func lowestRow(in bytes: some Collection<UInt8>) -> Int {
        var largestRow = 0, row = 0, isInNumber = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "["): (row, isInNumber) = (0, true)
            case UInt8(ascii: "0")...UInt8(ascii: "9") where isInNumber: row = row * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: ";") where isInNumber, UInt8(ascii: "H") where isInNumber:
                // The number 38 or 48 before a semicolon begins a color sequence and is no row.
                if row != 38, row != 48 { largestRow = max(largestRow, row) }
                isInNumber = false
            default: isInNumber = false
            }
        }
        return largestRow
    }
}
