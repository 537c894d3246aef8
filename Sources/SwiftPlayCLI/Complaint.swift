import Glibc
import SystemCalls

/// Lines on standard error.
enum Complaint {
    private struct State {
        var isHeld = false
        /// Kept while a picture fills the terminal; the newest hundred.
        var lines: [String] = []
    }

    private static let state = Monitor(State())

    /// Writes one line, or keeps it until ``release()``.
    static func write(_ text: String) {
        // File names may carry anything; a terminal must not obey them.
        let shown = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
        let isKept = state.withLock { state in
            if state.isHeld { state.lines = state.lines.suffix(99) + [shown] }
            return state.isHeld
        }
        if !isKept { put(shown) }
    }

    /// From now on lines are kept.
    static func hold() { state.withLock { $0.isHeld = true } }

    /// Writes what was kept, and what comes at once again.
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
