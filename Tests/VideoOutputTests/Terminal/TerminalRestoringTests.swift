import Glibc
import SystemCalls
import Testing

@testable import VideoOutput

extension TerminalSessionTests {
    /// As a crash handler does it: the thread that draws is not stopped before.
    @Test("a terminal is restored while a picture is being drawn, and nothing of the picture comes after that")
    func restoresBesideAWriter() throws {
        for round in 0..<50 {
            let terminal = try PseudoTerminal(columns: 400, rows: 100), drain = try TerminalDrain(terminal)
            let session = try terminal.session(), writer = try TerminalWriter(session: session)
            try writer.start { _ in }
            // Far more than one call of `write` takes.
            writer.show(.cells(Self.noise(round)))
            #expect(drain.wait(total: 100_000 + round * 5000))
            TerminalRestorer.restoreNow()
            writer.stop()
            session.close()
            let end = drain.finish(at: "\u{1b}[23;0t")
            #expect(end.hasSuffix("\u{1b}[?25h\u{1b}[?1049l\u{1b}[23;0t"), "round \(round): \(end.debugDescription)")
        }
    }

    /// A picture in which no two cells are alike.
    private static func noise(_ seed: Int) -> CellGrid {
        var grid = CellGrid(columns: 400, rows: 99, colours: .direct), state = UInt32(seed)
        for index in grid.cells.indices {
            state = state &* 1_664_525 &+ 1_013_904_223
            grid.cells[index] = TerminalCell(
                scalar: 0x2580, foreground: state >> 8, background: ~(state >> 8) & 0xff_ffff)
        }
        return grid
    }
}

/// Reads a terminal all the time, on a thread of its own, as a terminal's window does.
private final class TerminalDrain: Sendable {
    private struct State {
        var total = 0
        /// The last bytes.
        var end: [UInt8] = []
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
                    $0.total += count
                    $0.end = Array(($0.end + buffer[..<count]).suffix(100))
                }
            }
        }
    }

    deinit {
        state.update { $0.isStopping = true }
        thread.join()
    }

    /// Waits until `total` bytes were read in all.
    func wait(total: Int) -> Bool {
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        return state.wait(until: deadline) { $0.total >= total ? true : nil } == true
    }

    /// The last bytes, once they end with `sequence` or after ten seconds.
    func finish(at sequence: String) -> String {
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        let bytes = Array(sequence.utf8)
        _ = state.wait(until: deadline) { $0.end.suffix(bytes.count).elementsEqual(bytes) ? true : nil }
        return state.withLock { String(decoding: $0.end, as: UTF8.self) }
    }
}
