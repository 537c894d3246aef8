/// The places of all posters on the wall: rows of cells from left to right, as many as the width permits. A cell is a
/// poster with half a gap on each side, so that the cells cover the wall without holes. All lengths are pixels.
struct WallLayout: Equatable {
    /// The size of a poster.
    let tile: PixelArea
    /// The size of the view, without the scroll bar and the status line.
    let view: PixelArea
    /// The number of posters.
    let count: Int

    /// The space between two posters.
    static let gap = 8

    /// The size of a cell.
    var cell: PixelArea { PixelArea(width: tile.width + Self.gap, height: tile.height + Self.gap) }
    /// The number of posters in a row.
    var columnCount: Int { max(1, view.width / cell.width) }
    /// The number of rows.
    var rowCount: Int { (count + columnCount - 1) / columnCount }
    /// The height of all rows.
    var contentHeight: Int { rowCount * cell.height }
    /// The largest offset of the view in the content.
    var maximumOffset: Int { max(0, contentHeight - view.height) }
    /// The space to the left of the first column.
    var leftMargin: Int { max(0, view.width - columnCount * cell.width) / 2 }
    /// The number of rows that fit into the view completely.
    var pageRowCount: Int { max(1, view.height / cell.height) }
    /// The distance by which a page moves.
    var pageHeight: Int { pageRowCount * cell.height }

    /// Returns the rows that lie, at least in part, in a range of the content.
    func rows(in range: Range<Int>) -> Range<Int> {
        let first = min(max(0, range.lowerBound / cell.height), rowCount)
        let last = min(rowCount, (max(0, range.upperBound) + cell.height - 1) / cell.height)
        return first..<max(first, last)
    }

    /// Returns the posters of a range of rows.
    func indices(inRows rows: Range<Int>) -> Range<Int> {
        let first = min(count, max(0, rows.lowerBound) * columnCount)
        return first..<max(first, min(count, rows.upperBound * columnCount))
    }

    /// Returns the posters that are visible, at least in part, at an offset.
    func visibleIndices(atOffset offset: Int) -> Range<Int> {
        indices(inRows: rows(in: offset..<offset + view.height))
    }

    /// Returns the left edge of a poster's cell in the view, and its upper edge in the content.
    func cellOrigin(of index: Int) -> (x: Int, y: Int) {
        (leftMargin + index % columnCount * cell.width, index / columnCount * cell.height)
    }

    /// Returns the poster at a place of the view; nil if there is none.
    func index(atX x: Int, y: Int, offset: Int) -> Int? {
        guard x >= leftMargin, (0..<view.height).contains(y), offset + y >= 0 else { return nil }
        let column = (x - leftMargin) / cell.width, row = (offset + y) / cell.height
        let index = row * columnCount + column
        return column < columnCount && index < count ? index : nil
    }

    /// Returns the offset nearest to `offset` at which a poster is completely visible.
    func offset(revealing index: Int, from offset: Int) -> Int {
        let top = cellOrigin(of: index).y, bottom = top + cell.height
        // If the view is lower than a cell, the upper edge counts.
        let revealed = min(max(offset, bottom - view.height), top)
        return min(max(0, revealed), maximumOffset)
    }
}
