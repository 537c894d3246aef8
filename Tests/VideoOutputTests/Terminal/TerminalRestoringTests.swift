import Glibc
import SystemCalls
import Testing

@testable import VideoOutput

extension TerminalSessionTests {
    /// The output thread goes on writing a picture while the terminal is restored, as in a crash handler.
    @Test("The terminal is restored while a picture is being written, and no picture data follows")
    func terminalIsRestoredDuringAWrite() throws {
        for round in 0..<50 {
            let terminal = try PseudoTerminal(columns: 400, rows: 100), reader = try TerminalOutputReader(terminal)
            let session = try terminal.session(), writer = try TerminalWriter(session: session)
            try writer.start { _ in }
            // The picture has many more bytes than one `write` call accepts.
            writer.show(.cells(Self.noiseGrid(round)))
            #expect(reader.wait(forByteCount: 100_000 + round * 5000))
            TerminalRestorer.restoreNow()
            writer.stop()
            session.close()
            let lastOutput = reader.lastBytes(until: "\u{1b}[23;0t")
            #expect(
                lastOutput.hasSuffix("\u{1b}[?25h\u{1b}[?1049l\u{1b}[23;0t"),
                "round \(round): \(lastOutput.debugDescription)")
        }
    }

    /// Returns a grid of cells with random colours.
    private static func noiseGrid(_ seed: Int) -> CellGrid {
        var grid = CellGrid(columns: 400, rows: 99, colours: .direct), state = UInt32(seed)
        for index in grid.cells.indices {
            state = state &* 1_664_525 &+ 1_013_904_223
            grid.cells[index] = TerminalCell(
                scalar: 0x2580, foreground: state >> 8, background: ~(state >> 8) & 0xff_ffff)
        }
        return grid
    }
}

/// A thread that reads a terminal continuously, as a terminal emulator does.
private final class TerminalOutputReader: Sendable {
    /// The terminal output that the thread has read.
    private struct State {
        /// The number of bytes of terminal output that have been read.
        var byteCount = 0
        /// The most recent 100 bytes of terminal output.
        var recentBytes: [UInt8] = []
        var isStopping = false
    }

    private let state = Monitor(State())
    private let thread: NamedThread

    init(_ terminal: PseudoTerminal) throws {
        thread = try NamedThread("drain") { [state] in
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while !state.withLock({ $0.isStopping }) {
                guard (try? Poll.waitReadable(terminal.master.raw, until: MonotonicTime.now + 10_000_000)) == true
                else { continue }
                let count = Glibc.read(terminal.master.raw, &buffer, buffer.count)
                guard count > 0 else { continue }
                state.update {
                    $0.byteCount += count
                    $0.recentBytes = Array(($0.recentBytes + buffer[..<count]).suffix(100))
                }
            }
        }
    }

    deinit {
        state.update { $0.isStopping = true }
        thread.join()
    }

    /// Waits until `total` bytes of output have been read. Returns false after ten seconds.
    func wait(forByteCount total: Int) -> Bool {
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        return state.wait(until: deadline) { $0.byteCount >= total ? true : nil } == true
    }

    /// Waits up to ten seconds until the terminal output ends with `sequence`, and returns its last 100 bytes as text.
    func lastBytes(until sequence: String) -> String {
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        let bytes = Array(sequence.utf8)
        _ = state.wait(until: deadline) { $0.recentBytes.suffix(bytes.count).elementsEqual(bytes) ? true : nil }
        return state.withLock { String(decoding: $0.recentBytes, as: UTF8.self) }
    }
}
