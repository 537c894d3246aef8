import CLinux
import SharedFrames

/// The size of a terminal in cells, and of a cell in pixels. The last row is reserved for messages.
package struct TerminalGeometry: Equatable, Sendable {
    /// The width of the terminal in cells.
    package let columns: Int
    /// The height of the terminal in cells, including the row for messages.
    package let rows: Int
    /// The width of a cell in pixels; 10 if it is not known.
    package let cellWidth: Int
    /// The height of a cell in pixels; 20 if it is not known.
    package let cellHeight: Int

    /// Creates a geometry from sizes that a terminal or the kernel reports. Invalid sizes are clamped or replaced by
    /// defaults.
    ///
    /// - Parameters:
    ///   - pixels: The size of the whole terminal; zero if not known.
    ///   - cell: The size of a cell according to the terminal's reply, used if `pixels` is zero.
    package init(columns: Int, rows: Int, pixels: PixelSize = PixelSize(width: 0, height: 0), cell: PixelSize? = nil) {
        self.columns = columns > 0 ? min(columns, 1000) : 80
        self.rows = rows > 0 ? min(rows, 500) : 24
        let width = pixels.width > 0 ? pixels.width / self.columns : cell?.width ?? 0
        let height = pixels.height > 0 ? pixels.height / self.rows : cell?.height ?? 0
        let isValid = (2...100).contains(width) && (2...200).contains(height)
        cellWidth = isValid ? width : 10
        cellHeight = isValid ? height : 20
    }

    /// Reads a terminal's size from the kernel.
    package init(of descriptor: Int32, cell: PixelSize? = nil) {
        var size = winsize()
        let isKnown = clinux_window_size(descriptor, &size) == 0
        self.init(
            columns: isKnown ? Int(size.ws_col) : 0, rows: isKnown ? Int(size.ws_row) : 0,
            pixels: PixelSize(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel)), cell: cell)
    }

    /// Whether a row for messages exists. A terminal with a single row has none.
    package var hasStatusRow: Bool { rows > 1 }
    /// The number of rows for pictures.
    package var pictureRows: Int { hasStatusRow ? rows - 1 : 1 }
    /// The area for pictures, in screen pixels.
    package var pictureSize: PixelSize { PixelSize(width: columns * cellWidth, height: pictureRows * cellHeight) }

    /// Returns the cells that a picture covers, and the visible part of the picture in decoded samples.
    ///
    /// - Parameter maximumSize: The maximum size of the cells together, in pixels; nil for no limit.
    package func pictureArea(
        for format: FrameFormat, gravity: VideoGravity, maximumSize: PixelSize? = nil
    ) -> (cells: PixelRect, source: PixelRect) {
        let placement = Placement(
            picture: format.orientedSize, displaySize: format.displaySize, areaSize: pictureSize, gravity: gravity)
        let area = placement.destination
        var width = min(columns, max(1, (area.width + cellWidth / 2) / cellWidth))
        var height = min(pictureRows, max(1, (area.height + cellHeight / 2) / cellHeight))
        if let maximumSize, width * cellWidth > maximumSize.width || height * cellHeight > maximumSize.height {
            let scale = min(
                Double(maximumSize.width) / Double(width * cellWidth),
                Double(maximumSize.height) / Double(height * cellHeight))
            width = max(1, Int(Double(width) * scale))
            height = max(1, Int(Double(height) * scale))
        }
        let cells = PixelRect(x: (columns - width) / 2, y: (pictureRows - height) / 2, width: width, height: height)
        return (cells, format.decodedRect(of: placement.source))
    }
}
