import SharedFrames

/// A record of the cells that a part of a terminal shows. Only cells that differ from this record are drawn, so that
/// few bytes are written.
struct ShownCells {
    /// The maximum colour difference per channel for which a cell is not redrawn. Redrawing invisible noise would
    /// double the number of written bytes.
    static let colourTolerance: Int32 = 3
    /// The scalar of a cell whose contents are not known.
    private static let unknownScalar = UInt32.max

    /// The cells that the terminal shows; nil if the contents of all cells are unknown.
    private var shownGrid: CellGrid?

    /// Whether the contents of all cells are unknown.
    var isUnknown: Bool { shownGrid == nil }

    /// Marks the contents of all cells as unknown.
    mutating func invalidate() { shownGrid = nil }

    /// Marks the contents of `cells` as unknown, because another process has drawn there.
    mutating func invalidate(_ cells: PixelRect) {
        guard let shownGrid else { return }
        // After the terminal has shrunk, the cells may lie outside the grid.
        guard cells.y < shownGrid.rows, cells.x < shownGrid.columns else { return }
        for y in cells.y..<min(cells.y + cells.height, shownGrid.rows) {
            for x in cells.x..<min(cells.x + cells.width, shownGrid.columns) {
                self.shownGrid?[x, y].scalar = Self.unknownScalar
            }
        }
    }

    /// Appends the bytes that make the terminal show `grid`.
    ///
    /// - Parameters:
    ///   - originX: The column of the grid's first cell on the terminal.
    ///   - originY: The row of the grid's first cell on the terminal.
    ///   - excluded: Cells of the grid that are not written.
    mutating func draw(
        _ grid: CellGrid, x originX: Int = 0, y originY: Int = 0, excluding excluded: PixelRect? = nil,
        into out: inout TerminalBytes
    ) {
        let mustDrawAll =
            shownGrid?.colours != grid.colours || shownGrid?.cells.count != grid.cells.count
            || shownGrid?.columns != grid.columns
        var newShownGrid = mustDrawAll ? grid : shownGrid ?? grid
        shownGrid = nil // `newShownGrid` is now the only reference to the cells, so that its changes do not copy them.
        var pen = TerminalScreen.Pen()
        var cursor = -1
        out.reserve(mustDrawAll ? grid.cells.count * 40 : grid.cells.count * 8)
        for index in grid.cells.indices {
            let cell = grid.cells[index]
            let column = index % grid.columns, row = index / grid.columns
            if let excluded, excluded.contains(x: column, y: row) { continue }
            // The right half of a wide character draws nothing.
            if cell.scalar == 0 {
                newShownGrid.cells[index] = cell
                continue
            }
            if !mustDrawAll, TerminalScreen.isNear(cell, newShownGrid.cells[index], grid.colours) { continue }
            let isWide = column + 1 < grid.columns && grid.cells[index + 1].scalar == 0
            // Skip a wide character whose right half lies in the excluded area.
            if isWide, let excluded, excluded.contains(x: column + 1, y: row) { continue }
            if cursor != index || column == 0 { out.moveCursor(x: originX + column, y: originY + row) }
            newShownGrid.cells[index] = pen.put(cell, grid.colours, tolerance: Self.colourTolerance, &out)
            cursor = index + (isWide ? 2 : 1)
        }
        shownGrid = newShownGrid
    }
}
