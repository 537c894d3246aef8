/// The state of the playback in one row of a terminal: a symbol, the time, a bar and the length.
package struct TerminalControls: Equatable, Sendable {
    /// The state of playback.
    package enum State: Sendable {
        case playing, paused, buffering
    }

    /// The state of playback.
    private let state: State
    /// The position and the duration as text; the duration is empty if it is not known.
    private let time, duration: String
    /// The played part of the duration, 0 to 1.
    private let playedFraction: Double

    /// The smallest width of the bar.
    private static let minimumBarWidth = 4

    /// Creates the row's contents.
    ///
    /// - Parameters:
    ///   - time: The position as text.
    ///   - duration: The duration as text; empty if it is not known.
    ///   - playedFraction: The played part of the duration, 0 to 1.
    package init(state: State, time: String, duration: String, playedFraction: Double) {
        self.state = state
        (self.time, self.duration) = (time, duration)
        self.playedFraction = min(1, max(0, playedFraction))
    }

    /// Returns the row as text of `columns` characters at most.
    ///
    /// - Parameter isASCII: Whether the symbol and the bar consist of ASCII characters.
    func line(columns: Int, isASCII: Bool) -> String {
        let symbol =
            switch state {
            case .playing: isASCII ? ">" : "▶"
            case .paused: isASCII ? "||" : "⏸"
            case .buffering: isASCII ? "..." : "…"
            }
        let barWidth = columns - symbol.count - time.count - duration.count - 3
        guard !duration.isEmpty, barWidth >= Self.minimumBarWidth else {
            return String("\(symbol) \(time)".prefix(max(0, columns)))
        }
        let playedCount = Int(Double(barWidth) * playedFraction)
        let bar =
            String(repeating: isASCII ? "=" : "━", count: playedCount)
            + String(repeating: isASCII ? "-" : "─", count: barWidth - playedCount)
        return "\(symbol) \(time) \(bar) \(duration)"
    }
}
