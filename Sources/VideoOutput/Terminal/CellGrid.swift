import SharedFrames

/// The cells of a picture area on a terminal, row by row.
package struct CellGrid: Equatable, Sendable {
    /// The width of the grid in cells.
    package let columns: Int
    /// The height of the grid in cells.
    package let rows: Int
    /// The colour mode of the cells: RGB, 256 or 16 colours.
    package let colours: TerminalColours
    /// The cells, row by row.
    package var cells: [TerminalCell]

    /// Creates a grid of black cells.
    package init(columns: Int, rows: Int, colours: TerminalColours) {
        self.columns = columns
        self.rows = rows
        self.colours = colours
        cells = [TerminalCell](repeating: .blank(colours), count: columns * rows)
    }

    /// The cell in column `x` and row `y`, counted from 0.
    package subscript(x: Int, y: Int) -> TerminalCell {
        get { cells[y * columns + x] }
        set { cells[y * columns + x] = newValue }
    }

    /// Writes lines of text into the lower part of an area, white on black.
    ///
    /// - Parameter area: The cells that a picture covers.
    package mutating func writeSubtitles(_ text: String, in area: PixelRect) {
        let lines = text.split(separator: "\n").suffix(max(1, area.height / 2))
        // Keep one row free below the text if the picture has enough rows.
        let lastRow = area.y + area.height - (area.height > lines.count + 1 ? 2 : 1)
        for (offset, line) in lines.reversed().enumerated() where lastRow - offset >= area.y {
            let characters = TerminalText.fitting(String(line), columns: max(0, area.width - 2))
            let width = characters.reduce(0) { $0 + $1.width }
            write(
                characters, x: area.x + (area.width - width) / 2, y: lastRow - offset,
                background: TerminalCell.blank(colours).background)
        }
    }

    /// Writes characters that start at the cell (`x`, `y`), each with its width in cells.
    private mutating func write(_ line: [(scalars: [Unicode.Scalar], width: Int)], x: Int, y: Int, background: UInt32) {
        var x = x
        for character in line {
            guard let scalar = character.scalars.first(where: { TerminalText.width(of: $0) > 0 }), x >= 0,
                x + character.width <= columns
            else { continue }
            for offset in 0..<character.width {
                self[x + offset, y] = TerminalCell(scalar: 0, foreground: background, background: background)
            }
            self[x, y].scalar = scalar.value
            self[x, y].foreground = colours == .direct ? 0xffffff : 15
            x += character.width
        }
    }

    /// Writes a line of text into the middle row, white on the existing background.
    ///
    /// - Parameter corner: The cells of a picture in a corner of the terminal. If the corner reaches the middle row,
    ///   the text is written above the corner.
    package mutating func writeCentred(_ text: String, above corner: PixelRect? = nil) {
        let row = min(rows / 2, corner.map { max(0, $0.y - 2) } ?? rows)
        let characters = TerminalText.fitting(text, columns: max(0, columns - 2))
        var x = (columns - characters.reduce(0) { $0 + $1.width }) / 2
        for character in characters {
            // A cell holds one scalar: combining marks are dropped, and a wide character also takes the next cell.
            guard let scalar = character.scalars.first(where: { TerminalText.width(of: $0) > 0 }) else { continue }
            self[x, row].scalar = scalar.value
            self[x, row].foreground = colours == .direct ? 0xffffff : 15
            if character.width == 2 { self[x + 1, row].scalar = 0 }
            x += character.width
        }
    }
}
