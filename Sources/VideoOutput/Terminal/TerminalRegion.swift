import SharedFrames

/// The part of a terminal in which the process that owns the terminal lets another process draw.
package struct TerminalRegion: Equatable, Sendable {
    /// The cells of the region; the upper left cell of the terminal has the position 0, 0.
    package let cells: PixelRect
    /// The width of a cell in pixels.
    package let cellWidth: Int
    /// The height of a cell in pixels.
    package let cellHeight: Int
    /// A number that grows whenever the contents of the cells were lost and all of them must be redrawn.
    package let generation: UInt32

    /// Creates a region; nil for implausible values: more than 400 x 300 cells, a position beyond the 9999th cell, or
    /// an invalid cell size.
    package init?(cells: PixelRect, cellWidth: Int, cellHeight: Int, generation: UInt32 = 0) {
        guard 0...9_999 ~= cells.x, 0...9_999 ~= cells.y, 1...400 ~= cells.width, 1...300 ~= cells.height,
            cells.x + cells.width <= 9_999, cells.y + cells.height <= 9_999, 2...100 ~= cellWidth, 2...200 ~= cellHeight
        else { return nil }
        self.cells = cells
        self.cellWidth = cellWidth
        self.cellHeight = cellHeight
        self.generation = generation
    }

    /// The geometry of an imaginary terminal that consists of these cells alone.
    var geometry: TerminalGeometry {
        // Add a row because a terminal's last row is reserved for messages.
        TerminalGeometry(
            columns: cells.width, rows: cells.height + 1, cell: PixelSize(width: cellWidth, height: cellHeight))
    }
}
