/// The positions of all posters on the wall: rows of cells from left to right, as many in a row as the width permits. A
/// cell is a poster with half a gap on each side, so that the cells cover the wall completely. All lengths are in
/// pixels.
struct WallLayout: Equatable {
    /// The size of a poster.
    let tile: PixelSize
    /// The size of the view, without the scroll bar and the status line.
    let view: PixelSize
    /// The number of posters.
    let count: Int

    /// The space between two posters.
    static let gap = 8

    /// The size of a cell.
    var cell: PixelSize { PixelSize(width: tile.width + Self.gap, height: tile.height + Self.gap) }
    /// The number of posters in a row.
    var columnCount: Int { max(1, view.width / cell.width) }
    /// The number of rows of posters.
    var rowCount: Int { (count + columnCount - 1) / columnCount }
    /// The height of all rows.
    var contentHeight: Int { rowCount * cell.height }
    /// The largest scroll offset of the view in the content.
    var maximumOffset: Int { max(0, contentHeight - view.height) }
    /// The width of the empty space to the left of the first column.
    var leftMargin: Int { max(0, view.width - columnCount * cell.width) / 2 }
    /// The number of rows that fit into the view completely.
    var pageRowCount: Int { max(1, view.height / cell.height) }
    /// The scroll distance of one page.
    var pageHeight: Int { pageRowCount * cell.height }

    /// Returns the rows of posters that overlap a vertical range of the content.
    func rows(in range: Range<Int>) -> Range<Int> {
        let firstRow = min(max(0, range.lowerBound / cell.height), rowCount)
        let endRow = min(rowCount, (max(0, range.upperBound) + cell.height - 1) / cell.height)
        return firstRow..<max(firstRow, endRow)
    }

    /// Returns the indices of the posters in a range of rows.
    func indices(inRows rows: Range<Int>) -> Range<Int> {
        let firstIndex = min(count, max(0, rows.lowerBound) * columnCount)
        return firstIndex..<max(firstIndex, min(count, rows.upperBound * columnCount))
    }

    /// Returns the indices of the posters that are visible, at least in part, at a scroll offset.
    func visibleIndices(atOffset offset: Int) -> Range<Int> {
        indices(inRows: rows(in: offset..<offset + view.height))
    }

    /// Returns the left edge of a poster's cell in the view, and its upper edge in the content.
    func cellOrigin(of index: Int) -> (x: Int, y: Int) {
        (leftMargin + index % columnCount * cell.width, index / columnCount * cell.height)
    }

    /// Returns the index of the poster at a point of the view; nil if no poster is there.
    func index(atX x: Int, y: Int, offset: Int) -> Int? {
        guard x >= leftMargin, (0..<view.height).contains(y), offset + y >= 0 else { return nil }
        let column = (x - leftMargin) / cell.width, row = (offset + y) / cell.height
        let index = row * columnCount + column
        return column < columnCount && index < count ? index : nil
    }

    /// Returns the scroll offset nearest to `offset` at which a poster is completely visible.
    func offset(revealing index: Int, from offset: Int) -> Int {
        let top = cellOrigin(of: index).y, bottom = top + cell.height
        // If the view is lower than a cell, show the upper edge of the cell.
        let revealingOffset = min(max(offset, bottom - view.height), top)
        return min(max(0, revealingOffset), maximumOffset)
    }
}
