import CLinux
import SharedFrames

/// The size of a terminal: in cells, and of a cell in pixels. The last row is kept for messages.
package struct TerminalGeometry: Equatable, Sendable {
    package let columns: Int
    package let rows: Int
    /// Pixels; 10 x 20 where the terminal does not say.
    package let cellWidth: Int
    package let cellHeight: Int

    /// Takes what a terminal claims; nonsense becomes the nearest sense.
    ///
    /// - Parameters:
    ///   - pixels: of the whole terminal; zero where unknown.
    ///   - cell: size of one cell as the terminal answered, used where `pixels` says nothing.
    package init(columns: Int, rows: Int, pixels: PixelSize = PixelSize(width: 0, height: 0), cell: PixelSize? = nil) {
        self.columns = columns > 0 ? min(columns, 1000) : 80
        self.rows = rows > 0 ? min(rows, 500) : 24
        let width = pixels.width > 0 ? pixels.width / self.columns : cell?.width ?? 0
        let height = pixels.height > 0 ? pixels.height / self.rows : cell?.height ?? 0
        let isSound = (2...100).contains(width) && (2...200).contains(height)
        cellWidth = isSound ? width : 10
        cellHeight = isSound ? height : 20
    }

    /// Asks the kernel about a terminal.
    package init(of descriptor: Int32, cell: PixelSize? = nil) {
        var size = winsize()
        let isKnown = clinux_window_size(descriptor, &size) == 0
        self.init(
            columns: isKnown ? Int(size.ws_col) : 0, rows: isKnown ? Int(size.ws_row) : 0,
            pixels: PixelSize(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel)), cell: cell)
    }

    /// A terminal of one row shows no messages.
    package var hasStatusRow: Bool { rows > 1 }
    package var pictureRows: Int { hasStatusRow ? rows - 1 : 1 }
    /// The area for pictures, in pixels of the screen.
    package var pictureSize: PixelSize { PixelSize(width: columns * cellWidth, height: pictureRows * cellHeight) }

    /// The cells that a picture covers, and the part of it that is seen there.
    package func place(_ format: FrameFormat, gravity: VideoGravity) -> (cells: PixelRect, source: PixelRect) {
        let placement = Placement(
            picture: format.orientedSize, displaySize: format.displaySize, place: pictureSize, gravity: gravity)
        let area = placement.destination
        let width = min(columns, max(1, (area.width + cellWidth / 2) / cellWidth))
        let height = min(pictureRows, max(1, (area.height + cellHeight / 2) / cellHeight))
        let cells = PixelRect(x: (columns - width) / 2, y: (pictureRows - height) / 2, width: width, height: height)
        return (cells, format.samples(of: placement.source))
    }
}
