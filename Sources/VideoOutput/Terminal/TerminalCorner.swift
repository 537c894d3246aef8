import SharedFrames

/// The corner of a terminal in which a picture is shown during Picture-in-Picture.
package enum TerminalCorner {
    /// The smallest width of the corner, in cells.
    static let minimumColumns = 20
    /// The smallest height of the corner, in cells.
    static let minimumRows = 6

    /// Returns the cells of the corner at the lower right, in the picture's aspect ratio: at most a third of the
    /// columns and half of the rows, but at least ``minimumColumns`` and ``minimumRows``. Returns nil if the terminal
    /// is too small.
    package static func cells(of geometry: TerminalGeometry, picture: PixelSize) -> PixelRect? {
        let rows = geometry.pictureRows
        guard geometry.columns >= 2 * minimumColumns, rows >= 2 * minimumRows, !picture.isEmpty else { return nil }
        var width = min(400, max(minimumColumns, geometry.columns / 3))
        var height = roundedQuotient(
            width * geometry.cellWidth * picture.height, by: picture.width * geometry.cellHeight)
        height = min(300, rows / 2, height)
        width = min(
            width,
            roundedQuotient(height * geometry.cellHeight * picture.width, by: picture.height * geometry.cellWidth))
        (width, height) = (max(minimumColumns, width), max(minimumRows, height))
        return PixelRect(x: geometry.columns - width - 2, y: rows - height - 1, width: width, height: height)
    }

    /// Returns the corner as a ``TerminalRegion`` for the process that draws the picture; nil if the terminal is too
    /// small. The row below the picture is for the state of the playback.
    static func region(
        in geometry: TerminalGeometry, picture: PixelSize, style: TerminalPictureStyle? = nil
    ) -> TerminalRegion? {
        cells(of: geometry, picture: picture).flatMap { cells in
            TerminalRegion(
                cells: PixelRect(x: cells.x, y: cells.y, width: cells.width, height: cells.height + 1),
                cellWidth: geometry.cellWidth, cellHeight: geometry.cellHeight, controlRows: 1, style: style)
        }
    }

    /// Divides and rounds to the nearest integer.
    private static func roundedQuotient(_ dividend: Int, by divisor: Int) -> Int { (dividend + divisor / 2) / divisor }
}
