import SharedFrames

/// The places of the tiles in the window of the overview. A pure value. Coordinates are pixels of the window.
struct OverviewLayout: Equatable, Sendable {
    /// The size of the window.
    let size: PixelSize
    /// The factor by which everything is larger than at 96 dots per inch.
    let scale: Double
    /// The number of tiles.
    let count: Int
    /// The number of tiles in a row.
    let columns: Int
    /// The size of a tile.
    let tile: PixelSize
    /// The height of a tile's picture, which has the shape 16:9.
    let pictureHeight: Int
    /// The distance between tiles, and from the edges of the window.
    let gap: Int, margin: Int
    /// The height of the part of the window in which tiles are shown: all but the line of messages.
    let tilesHeight: Int
    /// The horizontal position of the first column.
    private let left: Int

    /// The smallest and the largest width of a tile, and the height of its text, at 96 dots per inch.
    private static let smallestWidth = 240.0, largestWidth = 400.0, textHeight = 74.0
    /// The height of the line of messages at 96 dots per inch.
    private static let messageHeight = 28.0

    /// Computes the places of tiles.
    ///
    /// - Parameters:
    ///   - size: The size of the window.
    ///   - scale: The scale of the display.
    ///   - count: The number of tiles.
    ///   - hasMessage: Whether the lower edge of the window shows a message.
    init(size: PixelSize, scale: Double, count: Int, hasMessage: Bool = false) {
        (self.size, self.scale, self.count) = (size, scale, count)
        tilesHeight = size.height - (hasMessage ? min(size.height, Self.scaled(Self.messageHeight, scale)) : 0)
        margin = max(2, min(Self.scaled(16, scale), size.width / 20))
        gap = margin
        let width = max(1, size.width - 2 * margin), smallest = Self.scaled(Self.smallestWidth, scale)
        let fitting = max(1, (width + gap) / (smallest + gap))
        columns = max(1, min(fitting, count))
        let shared = (width - (columns - 1) * gap) / columns
        let tileWidth = max(1, min(shared, Self.scaled(Self.largestWidth, scale)))
        pictureHeight = max(1, tileWidth * 9 / 16)
        tile = PixelSize(width: tileWidth, height: pictureHeight + Self.scaled(Self.textHeight, scale))
        left = (size.width - columns * tileWidth - (columns - 1) * gap) / 2
    }

    /// Returns a length in pixels of the window.
    func scaled(_ length: Double) -> Int { Self.scaled(length, scale) }

    private static func scaled(_ length: Double, _ scale: Double) -> Int { max(1, Int((length * scale).rounded())) }

    /// The number of rows of tiles.
    var rowCount: Int { (count + columns - 1) / columns }
    /// The distance from one row to the next.
    var rowHeight: Int { tile.height + gap }
    /// The height of all rows, with the margins.
    var contentHeight: Int { count == 0 ? 0 : 2 * margin + rowCount * rowHeight - gap }
    /// The largest distance by which the tiles are scrolled.
    var scrollLimit: Int { max(0, contentHeight - tilesHeight) }

    /// Returns the place of a tile while the tiles are scrolled by `scroll` pixels.
    func rect(of index: Int, scroll: Int) -> PixelRect {
        PixelRect(
            x: left + index % columns * (tile.width + gap), y: margin + index / columns * rowHeight - scroll,
            width: tile.width, height: tile.height)
    }

    /// Returns the tiles that are visible at least in part.
    func visibleTiles(scroll: Int) -> Range<Int> {
        guard count > 0, tilesHeight > 0 else { return 0..<0 }
        let first = max(0, (scroll - margin - tile.height) / rowHeight)
        let last = max(first, (scroll + tilesHeight - margin) / rowHeight)
        let start = min(count, first * columns)
        return start..<max(start, min(count, (last + 1) * columns))
    }

    /// Returns the tile at a position; nil between the tiles.
    func tile(atX x: Int, y: Int, scroll: Int) -> Int? {
        guard y < tilesHeight else { return nil }
        return visibleTiles(scroll: scroll).first { rect(of: $0, scroll: scroll).contains(x: x, y: y) }
    }

    /// Returns the distance by which the tiles are scrolled so that a tile is wholly visible, and the change is the
    /// smallest. A tile that is higher than the window is aligned at the top.
    func scroll(showing index: Int, from scroll: Int) -> Int {
        // The margin is smaller if a tile fits only without it.
        let rest = tilesHeight - tile.height, inset = rest < 0 ? margin : min(margin, rest / 2)
        let top = rect(of: index, scroll: 0).y - inset, bottom = top + tile.height + 2 * inset
        return limited(min(max(scroll, bottom - tilesHeight), top))
    }

    /// Returns a distance of scrolling within its limits.
    func limited(_ scroll: Int) -> Int { min(max(0, scroll), scrollLimit) }

    // MARK: Parts of a tile

    /// Returns the picture of a tile.
    func picture(in tile: PixelRect) -> PixelRect {
        PixelRect(x: tile.x, y: tile.y, width: tile.width, height: pictureHeight)
    }

    /// Returns the button that closes the program of a tile, in the upper right corner.
    func closeButton(in tile: PixelRect) -> PixelRect {
        let edge = min(scaled(24), tile.width / 3), inset = min(scaled(6), tile.width / 20)
        return PixelRect(x: tile.x + tile.width - edge - inset, y: tile.y + inset, width: edge, height: edge)
    }

    /// Returns a line of text below the picture: 0 is the title.
    func textLine(_ index: Int, in tile: PixelRect) -> PixelRect {
        let inset = min(scaled(10), tile.width / 16), titleHeight = scaled(24), lineHeight = scaled(19)
        let top = tile.y + pictureHeight + scaled(6)
        return PixelRect(
            x: tile.x + inset, y: index == 0 ? top : top + titleHeight + (index - 1) * lineHeight,
            width: tile.width - 2 * inset, height: index == 0 ? titleHeight : lineHeight)
    }

    /// Returns the rows of transfers at the lower edge of a picture, the first one at the top. Each has a line of text
    /// and a progress bar.
    func transferRows(_ rowCount: Int, in picture: PixelRect) -> [PixelRect] {
        let inset = min(scaled(10), picture.width / 16), height = scaled(29), bottom = scaled(4)
        return (0..<rowCount).map { row in
            PixelRect(
                x: picture.x + inset, y: picture.y + picture.height - bottom - (rowCount - row) * height,
                width: picture.width - 2 * inset, height: height)
        }
    }

    /// The line of messages at the lower edge of the window.
    var messageLine: PixelRect {
        let height = min(size.height, scaled(Self.messageHeight))
        return PixelRect(x: 0, y: size.height - height, width: size.width, height: height)
    }

    /// Returns the thumb of the scroll bar at the right edge; nil if all tiles fit.
    func scrollThumb(scroll: Int) -> PixelRect? {
        guard scrollLimit > 0 else { return nil }
        let width = max(2, scaled(4)), track = tilesHeight
        let height = min(track, max(scaled(24), track * track / contentHeight))
        return PixelRect(
            x: size.width - width, y: (track - height) * limited(scroll) / scrollLimit, width: width, height: height)
    }
}
