import SharedFrames

/// Cells of a terminal that belong to another process than the one that owns the terminal.
package struct TerminalPlace: Equatable, Sendable {
    /// Counted from the upper left cell, which is 0, 0.
    package let cells: PixelRect
    package let cellWidth: Int
    package let cellHeight: Int
    /// Grows with each time that what stands in the cells was lost, so that all of them are to be drawn.
    package let generation: UInt32

    /// nil for what no terminal has: more than 400 x 300 cells, or some beyond the 9999th.
    package init?(cells: PixelRect, cellWidth: Int, cellHeight: Int, generation: UInt32 = 0) {
        guard 0...9_999 ~= cells.x, 0...9_999 ~= cells.y, 1...400 ~= cells.width, 1...300 ~= cells.height,
            cells.x + cells.width <= 9_999, cells.y + cells.height <= 9_999, 2...100 ~= cellWidth, 2...200 ~= cellHeight
        else { return nil }
        self.cells = cells
        self.cellWidth = cellWidth
        self.cellHeight = cellHeight
        self.generation = generation
    }

    /// The place alone, as if it were a terminal.
    var geometry: TerminalGeometry {
        // One row more: the last one of a terminal is for messages.
        TerminalGeometry(
            columns: cells.width, rows: cells.height + 1, cell: PixelSize(width: cellWidth, height: cellHeight))
    }
}
