import Glibc
import SystemCalls

/// Writes lines to standard error, or buffers them while video fills the terminal.
enum StandardErrorWriter {
    /// The buffered lines, and whether new lines are buffered now.
    private struct State {
        /// Whether new lines are buffered instead of written.
        var isBuffering = false
        /// The buffered lines: at most the newest hundred.
        var lines: [String] = []
    }

    /// The buffered lines, which all threads share.
    private static let state = Monitor(State())

    /// Writes one line, or buffers it until ``endBuffering()``.
    static func write(_ text: String) {
        // File names may contain control characters, which a terminal must not interpret.
        let printableText = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
        let isBuffered = state.withLock { state in
            if state.isBuffering { state.lines = state.lines.suffix(99) + [printableText] }
            return state.isBuffering
        }
        if !isBuffered { writeImmediately(printableText) }
    }

    /// Starts to buffer new lines, until ``endBuffering()``.
    static func beginBuffering() { state.withLock { $0.isBuffering = true } }

    /// Writes the buffered lines and ends buffering.
    static func endBuffering() {
        let lines = state.withLock { state in
            state.isBuffering = false
            defer { state.lines = [] }
            return state.lines
        }
        for line in lines { writeImmediately(line) }
    }

    /// Writes a line to standard error without buffering it.
    private static func writeImmediately(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
