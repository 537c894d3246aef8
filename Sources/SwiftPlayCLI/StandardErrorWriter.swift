import Glibc
import SystemCalls

/// Writes lines to standard error, or passes them to the object that uses the terminal meanwhile.
enum StandardErrorWriter {
    /// The place to which lines go.
    enum Destination: Sendable {
        /// Standard error.
        case standardError
        /// A buffer that holds the newest hundred lines, because video fills the terminal.
        case buffer
        /// A closure that writes the line without waiting.
        case closure(@Sendable (String) -> Void)
        /// No output. Later changes of the destination have no effect.
        case nowhere
    }

    /// The destination and the buffered lines, which all threads share.
    private struct State {
        var destination = Destination.standardError
        /// The buffered lines: at most the newest hundred.
        var lines: [String] = []
    }

    private static let state = Monitor(State())

    /// Writes one line to the current destination.
    static func write(_ text: String) {
        // File names may contain control characters, which a terminal must not interpret.
        let printableText = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
        let destination = state.withLock { state in
            if case .buffer = state.destination { state.lines = state.lines.suffix(99) + [printableText] }
            return state.destination
        }
        switch destination {
        case .standardError: writeImmediately(printableText)
        case .closure(let write): write(printableText)
        case .buffer, .nowhere: break
        }
    }

    /// Sets the destination of all further lines. Buffered lines are written to standard error.
    static func setDestination(_ destination: Destination) {
        let lines = state.withLock { state -> [String] in
            if case .nowhere = state.destination { return [] }
            state.destination = destination
            defer { state.lines = [] }
            return state.lines
        }
        for line in lines { writeImmediately(line) }
    }

    /// Writes a line to standard error.
    private static func writeImmediately(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
