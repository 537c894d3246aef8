import Glibc
import SystemCalls

/// The writer of lines to standard error. It can hold lines back while a picture fills the terminal.
enum Complaint {
    private struct State {
        var isHeld = false
        /// The newest hundred lines held back while a picture fills the terminal.
        var lines: [String] = []
    }

    private static let state = Monitor(State())

    /// Writes one line, or holds it back until ``release()``.
    static func write(_ text: String) {
        // File names may contain control characters, which a terminal must not interpret.
        let shown = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
        let isKept = state.withLock { state in
            if state.isHeld { state.lines = state.lines.suffix(99) + [shown] }
            return state.isHeld
        }
        if !isKept { put(shown) }
    }

    /// Holds lines back until ``release()``.
    static func hold() { state.withLock { $0.isHeld = true } }

    /// Writes the lines held back, and writes further lines immediately again.
    static func release() {
        let lines = state.withLock { state in
            state.isHeld = false
            defer { state.lines = [] }
            return state.lines
        }
        for line in lines { put(line) }
    }

    private static func put(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
