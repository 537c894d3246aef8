import SharedFrames

/// The cells that stand on a part of a terminal, and the fewest bytes that turn them into others.
struct CellUpdate {
    /// A colour so near to the one wanted is left as it is: noise that no eye sees is half of the bytes.
    static let tolerance: Int32 = 3
    /// Of a cell whose contents are not known.
    private static let unknown = UInt32.max

    private var shown: CellGrid?

    var isEmpty: Bool { shown == nil }

    mutating func forget() { shown = nil }

    /// Somebody else has drawn there.
    mutating func forget(_ cells: PixelRect) {
        guard let shown else { return }
        for y in cells.y..<min(cells.y + cells.height, shown.rows) {
            for x in cells.x..<min(cells.x + cells.width, shown.columns) { self.shown?[x, y].scalar = Self.unknown }
        }
    }

    /// Adds the bytes that draw `grid`.
    ///
    /// - Parameters:
    ///   - x: the column of the grid's first cell.
    ///   - y: its row.
    ///   - hole: cells of the grid that are not written.
    mutating func draw(
        _ grid: CellGrid, x originX: Int = 0, y originY: Int = 0, leaving hole: PixelRect? = nil,
        into out: inout TerminalBytes
    ) {
        let isFresh =
            shown?.colours != grid.colours || shown?.cells.count != grid.cells.count || shown?.columns != grid.columns
        var old = isFresh ? grid : shown ?? grid
        shown = nil // one owner only: what follows changes the cells in place
        var pen = TerminalScreen.Pen()
        var cursor = -1
        out.reserve(isFresh ? grid.cells.count * 40 : grid.cells.count * 8)
        for index in grid.cells.indices {
            let cell = grid.cells[index]
            let column = index % grid.columns, row = index / grid.columns
            if let hole, hole.contains(x: column, y: row) { continue }
            // The right half of a wide character draws nothing.
            if cell.scalar == 0 {
                old.cells[index] = cell
                continue
            }
            if !isFresh, TerminalScreen.isNear(cell, old.cells[index], grid.colours) { continue }
            let isWide = column + 1 < grid.columns && grid.cells[index + 1].scalar == 0
            // Its other half is not ours.
            if isWide, let hole, hole.contains(x: column + 1, y: row) { continue }
            if cursor != index || column == 0 { out.moveCursor(x: originX + column, y: originY + row) }
            old.cells[index] = pen.put(cell, grid.colours, tolerance: Self.tolerance, &out)
            cursor = index + (isWide ? 2 : 1)
        }
        shown = old
    }
}
