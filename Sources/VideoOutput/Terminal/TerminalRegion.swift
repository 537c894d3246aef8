import SharedFrames

/// The part of a terminal in which the process that owns the terminal lets another process draw.
package struct TerminalRegion: Equatable, Sendable {
    /// The cells of the region; the upper left cell of the terminal has the position 0, 0.
    package let cells: PixelRect
    /// The number of rows at the lower edge for the state of the playback: 0 or 1.
    package let controlRows: Int
    /// The style of the pictures in the region; nil if the process that owns the terminal is older and does not state
    /// it.
    package let style: TerminalPictureStyle?
    /// The width of a cell in pixels.
    package let cellWidth: Int
    /// The height of a cell in pixels.
    package let cellHeight: Int
    /// A number that grows whenever the contents of the cells were lost and all of them must be redrawn.
    package let generation: UInt32

    /// Creates a region; nil for implausible values: more than 400 x 300 cells, a position beyond the 9999th cell, an
    /// invalid cell size, or no row for the picture.
    package init?(
        cells: PixelRect, cellWidth: Int, cellHeight: Int, generation: UInt32 = 0, controlRows: Int = 0,
        style: TerminalPictureStyle? = nil
    ) {
        guard 0...9_999 ~= cells.x, 0...9_999 ~= cells.y, 1...400 ~= cells.width, 1...300 ~= cells.height,
            cells.x + cells.width <= 9_999, cells.y + cells.height <= 9_999, 2...100 ~= cellWidth,
            2...200 ~= cellHeight,
            0...1 ~= controlRows, cells.height > controlRows
        else { return nil }
        self.cells = cells
        self.cellWidth = cellWidth
        self.cellHeight = cellHeight
        self.generation = generation
        self.controlRows = controlRows
        self.style = style
    }

    /// The cells for the picture: all but those of ``controlRows``.
    package var pictureCells: PixelRect {
        PixelRect(x: cells.x, y: cells.y, width: cells.width, height: cells.height - controlRows)
    }

    /// The size of ``pictureCells`` in pixels.
    package var pictureSize: PixelSize { geometry.pictureSize }

    /// The geometry of an imaginary terminal whose picture area consists of ``pictureCells``.
    var geometry: TerminalGeometry {
        // Add a row because a terminal's last row is reserved for messages.
        TerminalGeometry(
            columns: cells.width, rows: pictureCells.height + 1, cell: PixelSize(width: cellWidth, height: cellHeight))
    }
}
