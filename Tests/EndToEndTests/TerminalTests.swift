import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Without a display the picture is drawn in the terminal, and the terminal is left as it was found, however the player
/// ends.
@Suite("Terminal")
struct TerminalTests {
    @Test("the picture is drawn, the keys work, and q leaves the terminal as it was")
    func keys() async throws {
        try await Desk.alone {
            let playing = try Self.play(), (pty, ipc) = (playing.pty, playing.ipc)
            let isColoured = pty.output.text.contains("\u{1B}[48;2;") || pty.output.text.contains(";48;2;")
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
            Self.expectRestored(pty)
            withExtendedLifetime(playing) {}
        }
    }

    @Test(
        "a signal, and a crash too, leaves the terminal as it was",
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT])
    func signals(number: Int32) async throws {
        try await Desk.alone {
            let playing = try Self.play(), pty = playing.pty
            pty.child.signal(number)
            let isCrash = number == SIGSEGV || number == SIGABRT
            #expect(try pty.child.waitForExit().reason == (isCrash ? .killed(signal: number) : .exited(4)))
            Self.expectRestored(pty)
            withExtendedLifetime(playing) {}
        }
    }

    @Test("the picture follows the terminal's size")
    func resize() async throws {
        try await Desk.alone {
            let playing = try Self.play(answers: .plain), pty = playing.pty
            let large = Self.lowestRow(in: pty.output.bytes)
            #expect(large > 20, "\(large)")
            try pty.terminal.resize(to: .init(columns: 60, rows: 15))
            // Three seconds of pictures are far less than what the buffer keeps; only what comes late is looked at.
            let settled = Deadline.poll(for: .seconds(5), every: .milliseconds(50)) {
                (1...15).contains(Self.lowestRow(in: pty.output.bytes.suffix(4000))) ? true : nil
            }
            #expect(settled == true, "row \(Self.lowestRow(in: pty.output.bytes.suffix(4000)))")
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            Self.expectRestored(pty)
            withExtendedLifetime(playing) {}
        }
    }

    @Test("a terminal that is frozen does not hold up the sound, nor the end")
    func frozen() async throws {
        try await Desk.alone {
            let playing = try Self.play(), (pty, ipc) = (playing.pty, playing.ipc)
            pty.freeze()
            let time = try #require(ipc.property("time-pos").number)
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 1 }
            pty.thaw()
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            Self.expectRestored(pty)
            withExtendedLifetime(playing) {}
        }
    }

    private struct Playing {
        /// Kept: what was given it ends with it.
        let directory: RuntimeDirectory
        let pty: PTY
        let ipc: IPCClient
    }

    /// A player on a terminal that has drawn some pictures.
    private static func play(answers: TerminalAnswers = .sixel) throws -> Playing {
        let directory = try RuntimeDirectory(), socket = directory.path + "/ipc"
        let pty = try PTY(
            Products.swiftplay, ["--input-ipc-server=\(socket)", Fixtures.path("count30.mp4")],
            // Swift's own backtraces would ask the terminal's user what to do with a crash, and wait.
            environment: ["DISPLAY": nil, "SWIFT_BACKTRACE": "enable=no"],
            runtimeDirectory: directory, answers: answers)
        let ipc = try IPCClient(path: socket)
        try ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 10 }
        guard pty.output.wait(total: 20_000) else { throw RigError("nothing is drawn: \(pty.output.text.suffix(500))") }
        return Playing(directory: directory, pty: pty, ipc: ipc)
    }

    private static func expectRestored(_ pty: PTY) {
        #expect(pty.settingsAreRestored)
        // A program's last bytes may still be in the terminal when it has exited.
        let isLeft = pty.output.wait(for: "\u{1B}[?1049l") && pty.output.wait(for: "\u{1B}[?25h")
        #expect(isLeft)
        let words = pty.output.text
        for (on, off) in [("\u{1B}[?1049h", "\u{1B}[?1049l"), ("\u{1B}[?25l", "\u{1B}[?25h")] {
            guard let begun = words.range(of: on, options: .backwards) else { continue }
            let isBack = words[begun.upperBound...].contains(off)
            #expect(isBack, "\(off.dropFirst()) is missing")
        }
    }

    /// The largest row that the cursor is sent to.
    private static func lowestRow(in bytes: some Collection<UInt8>) -> Int {
        var lowest = 0, row = 0, isInside = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "["): (row, isInside) = (0, true)
            case UInt8(ascii: "0")...UInt8(ascii: "9") where isInside: row = row * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: ";") where isInside, UInt8(ascii: "H") where isInside:
                // Colours have semicolons too: their first number is 38 or 48.
                if row != 38, row != 48 { lowest = max(lowest, row) }
                isInside = false
            default: isInside = false
            }
        }
        return lowest
    }
}
