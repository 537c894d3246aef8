import SharedFrames

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

    /// Writes lines of text into the lower part of some cells, white on black.
    ///
    /// - Parameter area: the cells that a picture covers.
    package mutating func writeSubtitles(_ text: String, in area: PixelRect) {
        let lines = text.split(separator: "\n").suffix(max(1, area.height / 2))
        // A row stays free below, where the picture has one.
        let last = area.y + area.height - (area.height > lines.count + 1 ? 2 : 1)
        for (offset, line) in lines.reversed().enumerated() where last - offset >= area.y {
            let shown = TerminalText.fitting(String(line), columns: max(0, area.width - 2))
            let width = shown.reduce(0) { $0 + $1.width }
            write(
                shown, x: area.x + (area.width - width) / 2, y: last - offset,
                background: TerminalCell.blank(colours).background)
        }
    }

    private mutating func write(_ line: [(scalars: [Unicode.Scalar], width: Int)], x: Int, y: Int, background: UInt32) {
        var x = x
        for item in line {
            guard let scalar = item.scalars.first(where: { TerminalText.width(of: $0) > 0 }), x >= 0,
                x + item.width <= columns
            else { continue }
            for offset in 0..<item.width {
                self[x + offset, y] = TerminalCell(scalar: 0, foreground: background, background: background)
            }
            self[x, y].scalar = scalar.value
            self[x, y].foreground = colours == .direct ? 0xffffff : 15
            x += item.width
        }
    }

    /// Writes a line of text into the middle, white on what is there; above `corner` where that reaches so far.
    package mutating func centre(_ text: String, above corner: PixelRect? = nil) {
        let row = min(rows / 2, corner.map { max(0, $0.y - 2) } ?? rows)
        let line = TerminalText.fitting(text, columns: max(0, columns - 2))
        var x = (columns - line.reduce(0) { $0 + $1.width }) / 2
        for item in line {
            // One scalar a cell: marks go, and what is two columns wide holds the next cell as well.
            guard let scalar = item.scalars.first(where: { TerminalText.width(of: $0) > 0 }) else { continue }
            self[x, row].scalar = scalar.value
            self[x, row].foreground = colours == .direct ? 0xffffff : 15
            if item.width == 2 { self[x + 1, row].scalar = 0 }
            x += item.width
        }
    }
}
