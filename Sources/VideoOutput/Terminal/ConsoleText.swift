/// The bytes that a console writes: lines of text, and a status line below them that is drawn in place.
///
/// The cursor rests in the first column of the status line, so that text of other programs overwrites the status line
/// from its start.
struct ConsoleText {
    /// The status line that the terminal shows; empty without one.
    private(set) var shownStatus = ""

    /// Marks the status line as not shown, because the terminal was restored or the line was interrupted.
    mutating func invalidate() { shownStatus = "" }

    /// Returns the bytes that write `lines` and then show `status`; empty if there is nothing to change.
    ///
    /// - Parameters:
    ///   - lines: Lines of text without control characters.
    ///   - status: The new status line; empty for none. It may contain sequences for colours and font styles.
    ///   - columns: The width of the terminal. The status line uses at most one column less, because some terminals
    ///     move the cursor to the next row after the last column.
    ///   - mustRedraw: Whether to draw the status line although its text is unchanged.
    mutating func update(lines: [String], status: String, columns: Int, mustRedraw: Bool = false) -> [UInt8] {
        let newStatus = TerminalText.styledLine(status, columns: columns - 1)
        guard !lines.isEmpty || mustRedraw || newStatus != shownStatus else { return [] }
        var text = lines.isEmpty || shownStatus.isEmpty ? "" : "\r\u{1b}[J"
        for line in lines { text += line + "\n" }
        if !newStatus.isEmpty {
            text += "\r\(newStatus)\u{1b}[J\r"
        } else if !shownStatus.isEmpty, lines.isEmpty {
            text += "\r\u{1b}[J"
        }
        shownStatus = newStatus
        return Array(text.utf8)
    }
}
