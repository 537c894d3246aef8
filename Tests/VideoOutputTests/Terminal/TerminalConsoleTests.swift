import Glibc
import SystemCalls
import Testing

@testable import VideoOutput

/// The tests run one after another, because terminal sessions share the signal handlers of the process.
@Suite(.serialized) struct TerminalConsoleTests {
    /// The keys that a console has reported.
    private final class KeyLog: Sendable {
        private let keys = Monitor<[String]>([])
        func add(_ event: OutputEvent) {
            guard case .key(let name) = event else { return }
            keys.update { $0.append(name) }
        }
        /// Waits for a number of keys, for up to ten seconds.
        func wait(for count: Int) -> [String] {
            let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
            return keys.wait(until: deadline) { $0.count >= count ? $0 : nil } ?? keys.withLock { $0 }
        }
    }

    private func makeConsole(
        _ terminal: PseudoTerminal, input: Int32? = nil, errors: Int32? = nil, readsKeys: Bool = true,
        type: String = "xterm-256color", log: KeyLog = KeyLog()
    ) throws -> TerminalConsole? {
        let slave = terminal.slave.raw
        return try TerminalConsole(
            readsKeys: readsKeys, showsStatus: true,
            streams: .init(input: input ?? slave, output: slave, errors: errors ?? slave),
            environment: { $0 == "TERM" ? type : nil }, onEvent: { log.add($0) })
    }

    /// Whether a terminal has line buffering and echo, as a shell expects.
    private func isCooked(_ terminal: PseudoTerminal) -> Bool {
        terminal.settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    @Test func keysAreReadAndClosingRestoresTheTerminal() throws {
        let terminal = try PseudoTerminal(), log = KeyLog()
        let console = try #require(try makeConsole(terminal, log: log))
        #expect(!isCooked(terminal))
        terminal.type(" \u{1b}[Cq")
        #expect(log.wait(for: 3) == ["SPACE", "RIGHT", "q"])
        console.show(status: "one")
        #expect(terminal.read(until: "one").hasSuffix("\rone\u{1b}[J\r"))
        console.close(keepingStatus: true)
        #expect(isCooked(terminal))
        #expect(terminal.read(until: "\u{1b}[J") == "\r\n\u{18}\u{1b}[0m\r\u{1b}[J")
        console.close()
        #expect(terminal.read().isEmpty)
    }

    @Test func aConsoleWithoutKeysLeavesTheModesUnchanged() throws {
        let terminal = try PseudoTerminal()
        let console = try #require(try makeConsole(terminal, readsKeys: false))
        #expect(isCooked(terminal))
        console.write(line: "text")
        #expect(terminal.read(until: "text\r\n").contains("text\r\n"))
        console.close()
    }

    @Test func aDumbTerminalGetsNoControlSequences() throws {
        let terminal = try PseudoTerminal(), log = KeyLog()
        let console = try #require(try makeConsole(terminal, type: "dumb", log: log))
        #expect(!console.drawsStatus)
        console.show(status: "status")
        console.write(line: "text")
        terminal.type("q")
        #expect(log.wait(for: 1) == ["q"])
        console.close(keepingStatus: true)
        #expect(terminal.read() == "text\r\n")
        #expect(isCooked(terminal))
    }

    @Test func nothingIsWrittenIfStandardErrorIsAFile() throws {
        let terminal = try PseudoTerminal(), log = KeyLog()
        let file = try FileDescriptor(opening: "/dev/null", flags: O_RDWR)
        let console = try #require(try makeConsole(terminal, errors: file.raw, log: log))
        #expect(!console.drawsStatus && !console.writesLines)
        terminal.type("m")
        #expect(log.wait(for: 1) == ["m"])
        console.show(status: "status")
        console.write(line: "text")
        console.close(keepingStatus: true)
        #expect(terminal.read().isEmpty)
        #expect(isCooked(terminal))
    }

    @Test func closingEndsAlthoughTheTerminalAcceptsNoText() throws {
        let terminal = try PseudoTerminal()
        let console = try #require(try makeConsole(terminal))
        // More than the terminal's queue holds, and more lines than wait at a time.
        for number in 0..<1000 { console.write(line: String(repeating: "x", count: 100) + "\(number)") }
        console.show(status: "status")
        console.close(keepingStatus: true)
        #expect(isCooked(terminal))
        _ = terminal.read()
    }
}
