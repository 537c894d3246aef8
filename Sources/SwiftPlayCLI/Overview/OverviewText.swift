import CompositorProtocol
import VideoOutput

/// The overview as text.
enum OverviewText {
    /// The size of a picture, in cells.
    private static let pictureColumns = 32, pictureRows = 9
    /// The most transfers of a program that are listed.
    private static let transferLimit = 5

    /// Returns the text of all programs.
    ///
    /// - Parameters:
    ///   - columns: The width of the terminal.
    ///   - capabilities: What the terminal can draw; nil for text without pictures.
    static func text(of entries: [OverviewEntry], columns: Int, capabilities: TerminalCapabilities?) -> String {
        guard !entries.isEmpty else { return "no programs\n" }
        return entries.map { text(of: $0, columns: columns, capabilities) }.joined(separator: "\n")
    }

    /// Returns the lines of a program, beside its picture if there is one.
    private static func text(
        of entry: OverviewEntry, columns: Int, _ capabilities: TerminalCapabilities?
    ) -> String {
        let lines = lines(of: entry)
        guard let capabilities, columns >= pictureColumns + 20, case .snapshot(let snapshot, _) = entry.picture,
            let still = TerminalStill(
                snapshot.pixels, size: snapshot.size, columns: pictureColumns, rows: pictureRows,
                capabilities: capabilities)
        else { return lines.map { fitting($0, columns) + "\n" }.joined() }
        let padding = String(repeating: " ", count: pictureColumns - still.columns + 2)
        let emptyLine = String(repeating: " ", count: still.columns)
        return (0..<max(lines.count, still.lines.count)).map { index in
            let picture = index < still.lines.count ? still.lines[index] : emptyLine
            let line = index < lines.count ? fitting(lines[index], columns - pictureColumns - 2) : ""
            return (line.isEmpty ? picture : picture + padding + line) + "\n"
        }.joined()
    }

    /// Returns a line that is safe for a terminal and not wider than some columns.
    private static func fitting(_ line: String, _ columns: Int) -> String {
        var text = String.UnicodeScalarView()
        for character in TerminalText.fitting(line, columns: columns) { text.append(contentsOf: character.scalars) }
        return String(text)
    }

    /// Returns the lines of text about a program.
    static func lines(of entry: OverviewEntry) -> [String] {
        var lines = [title(of: entry)]
        if case .snapshot(let snapshot, _) = entry.picture, !snapshot.texts.title.isEmpty {
            lines.append("  " + snapshot.texts.title)
        }
        lines.append("  picture: " + text(of: entry.picture))
        for transfer in entry.transfers.prefix(transferLimit) {
            lines.append(
                "  transfer \(transfer.id): \(TransferText.name(of: transfer)), \(TransferText.bytes(of: transfer)), "
                    + TransferText.state(of: transfer))
        }
        let rest = entry.transfers.count - transferLimit
        if rest > 0 { lines.append("  and \(rest) more transfers") }
        return lines
    }

    /// Returns the name of a program, its processes, and where it is seen and heard.
    private static func title(of entry: OverviewEntry) -> String {
        let states = states(of: entry), processIDs = entry.processes.map { "\($0.processID)" }.joined(separator: ", ")
        return "\(entry.program)\(processIDs.isEmpty ? "" : " (\(processIDs))"): \(states.joined(separator: ", "))"
    }

    /// Returns where a program is seen and heard.
    static func states(of entry: OverviewEntry) -> [String] {
        var states: [String] = []
        if entry.isFloating { states.append("Picture-in-Picture") }
        if entry.isAudible { states.append("plays audio") }
        let presence = entry.processes.map(\.presence).max { $0.rawValue < $1.rawValue }
        switch presence {
        case .focused, .shown: states.append("on the screen")
        case .hidden, .noWindow: states.append("in the background")
        case nil: if !entry.hasAudio { states.append("not running") }
        }
        return states
    }

    /// Returns the age of a picture, or the reason for a placeholder.
    static func text(of picture: OverviewEntry.Picture) -> String {
        switch picture {
        case .snapshot(_, let age): "\(Self.age(age)) ago"
        case .isPrivate: "hidden by the program"
        case .screenIsLocked: "hidden while the screen is locked"
        case .none: "none"
        }
    }

    /// Returns a time in seconds as a number of its largest whole unit.
    static func age(_ seconds: Int64) -> String {
        for (unit, length) in [("day", Int64(86_400)), ("hour", 3600), ("minute", 60)] where seconds >= length {
            let count = seconds / length
            return "\(count) \(unit)\(count == 1 ? "" : "s")"
        }
        return "\(seconds) s"
    }
}
