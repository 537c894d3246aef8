import SharedFrames

/// The corner of a terminal that a picture has in Picture-in-Picture: pure arithmetic.
package enum TerminalCorner {
    static let minimumColumns = 20
    static let minimumRows = 6

    /// At the lower right, a third of the columns and half of the rows at most, in the picture's shape. nil where the
    /// terminal is too small for a picture in it.
    package static func cells(of geometry: TerminalGeometry, picture: PixelSize) -> PixelRect? {
        let rows = geometry.pictureRows
        guard geometry.columns >= 2 * minimumColumns, rows >= 2 * minimumRows, !picture.isEmpty else { return nil }
        var width = min(400, max(minimumColumns, geometry.columns / 3))
        var height = rounded(width * geometry.cellWidth * picture.height, by: picture.width * geometry.cellHeight)
        height = min(300, rows / 2, height)
        width = min(
            width, rounded(height * geometry.cellHeight * picture.width, by: picture.height * geometry.cellWidth))
        (width, height) = (max(minimumColumns, width), max(minimumRows, height))
        return PixelRect(x: geometry.columns - width - 2, y: rows - height - 1, width: width, height: height)
    }

    /// The same as a place that can be told to another process.
    static func place(in geometry: TerminalGeometry, picture: PixelSize) -> TerminalPlace? {
        cells(of: geometry, picture: picture).flatMap {
            TerminalPlace(cells: $0, cellWidth: geometry.cellWidth, cellHeight: geometry.cellHeight)
        }
    }

    private static func rounded(_ value: Int, by divisor: Int) -> Int { (value + divisor / 2) / divisor }
}
