/// The cells of the whole picture area, row by row.
package struct CellGrid: Equatable, Sendable {
    package let columns: Int
    package let rows: Int
    package let colours: TerminalColours
    package var cells: [TerminalCell]

    package init(columns: Int, rows: Int, colours: TerminalColours) {
        self.columns = columns
        self.rows = rows
        self.colours = colours
        cells = [TerminalCell](repeating: .blank(colours), count: columns * rows)
    }

    package subscript(x: Int, y: Int) -> TerminalCell {
        get { cells[y * columns + x] }
        set { cells[y * columns + x] = newValue }
    }

    /// Writes a line of text into the middle, white on what is there.
    package mutating func centre(_ text: String) {
        let line = TerminalText.fitting(text, columns: max(0, columns - 2))
        var x = (columns - line.reduce(0) { $0 + $1.width }) / 2
        for item in line {
            // One scalar a cell: marks go, and what is two columns wide holds the next cell as well.
            guard let scalar = item.scalars.first(where: { TerminalText.width(of: $0) > 0 }) else { continue }
            self[x, rows / 2].scalar = scalar.value
            self[x, rows / 2].foreground = colours == .direct ? 0xffffff : 15
            if item.width == 2 { self[x + 1, rows / 2].scalar = 0 }
            x += item.width
        }
    }
}
