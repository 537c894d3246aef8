extension TerminalScreen {
    /// The colours with which the terminal draws the next characters; each colour is nil if it is not known.
    struct Pen {
        /// The text colour that was selected most recently; nil if it is not known.
        private var foreground: UInt32?
        /// The background colour that was selected most recently; nil if it is not known.
        private var background: UInt32?

        /// Appends the bytes that write a cell at the cursor.
        ///
        /// - Returns: The cell as the terminal shows it, with the previous colours if they are similar enough.
        mutating func put(
            _ cell: TerminalCell, _ colours: TerminalColours, tolerance: Int32, _ out: inout TerminalBytes
        ) -> TerminalCell {
            let tolerance = colours == .direct ? tolerance : 0
            let needsForeground =
                cell.scalar != 32
                && !(foreground.map { TerminalScreen.isNear($0, cell.foreground, tolerance) } ?? false)
            let needsBackground = !(background.map { TerminalScreen.isNear($0, cell.background, tolerance) } ?? false)
            if needsForeground || needsBackground {
                out.add(0x1b, 0x5b)
                if needsForeground {
                    out.add(colour: cell.foreground, colours, isBackground: false)
                    foreground = cell.foreground
                }
                if needsBackground {
                    if needsForeground { out.add(0x3b) }
                    out.add(colour: cell.background, colours, isBackground: true)
                    background = cell.background
                }
                out.add(0x6d)
            }
            out.add(scalar: cell.scalar)
            return TerminalCell(
                scalar: cell.scalar, foreground: foreground ?? cell.foreground,
                background: background ?? cell.background)
        }
    }
}
