/// Draws rows of the wall into a ring buffer of rows; see ``RingRows``. Used on the main thread.
struct WallPainter {
    /// The content to draw for a poster.
    enum Tile {
        /// The poster.
        case poster(any Poster)
        /// The poster is not ready.
        case placeholder
        /// The poster cannot be made.
        case failure
    }

    let layout: WallLayout
    /// The memory of the ring buffer.
    let target: UnsafeMutableRawBufferPointer
    /// The number of bytes of a row of the ring buffer.
    let bytesPerRow: Int

    /// The width of the frame around the selected poster.
    private static let frameWidth = WallLayout.gap / 2

    /// The mapping of content rows to the ring buffer, which has as many rows as the view.
    private var ring: RingRows { RingRows(height: layout.view.height) }

    /// Draws a range of content rows with all posters that overlap the range.
    ///
    /// - Parameters:
    ///   - rows: The content rows.
    ///   - selection: The index of the selected poster.
    ///   - tile: Returns the content to draw for a poster.
    /// - Returns: The indices of the posters that could not be read without waiting for the disk. These posters are
    ///   drawn as placeholders.
    func draw(rows: Range<Int>, selection: Int, tile: (Int) -> Tile) -> [Int] {
        fill(rows, x: 0, width: layout.view.width, color: WallPalette.background)
        var unreadIndices: [Int] = []
        for index in layout.indices(inRows: layout.rows(in: rows)) {
            let isDrawn = draw(index, rows: rows, isSelected: index == selection, tile(index))
            if !isDrawn { unreadIndices.append(index) }
        }
        return unreadIndices
    }

    /// Draws the part of a poster's cell that is in the content rows `rows`.
    ///
    /// - Returns: False if the poster could not be read without waiting for the disk, so that a placeholder is drawn.
    func draw(_ index: Int, rows: Range<Int>, isSelected: Bool, _ tile: Tile) -> Bool {
        let origin = layout.cellOrigin(of: index), inset = WallLayout.gap / 2
        let cellRows = (origin.y..<origin.y + layout.cell.height).clamped(to: rows)
        let frameColor = isSelected ? WallPalette.selection : WallPalette.background
        let top = origin.y + inset, bottom = top + layout.tile.height
        fill((origin.y..<top).clamped(to: cellRows), x: origin.x, width: layout.cell.width, color: frameColor)
        let cellEnd = origin.y + layout.cell.height
        fill((bottom..<cellEnd).clamped(to: cellRows), x: origin.x, width: layout.cell.width, color: frameColor)
        let tileRows = (top..<bottom).clamped(to: rows)
        fill(tileRows, x: origin.x, width: inset, color: frameColor)
        fill(tileRows, x: origin.x + inset + layout.tile.width, width: inset, color: frameColor)
        let left = origin.x + inset, posterRows = tileRows.lowerBound - top..<tileRows.upperBound - top
        switch tile {
        case .poster(let poster):
            let isRead = poster.withBytes(ofRows: posterRows) {
                copy($0, tileRows, firstRow: posterRows.lowerBound, x: left)
            }
            if isRead { return true }
            fill(tileRows, x: left, width: layout.tile.width, color: WallPalette.placeholder)
            return false
        case .placeholder: fill(tileRows, x: left, width: layout.tile.width, color: WallPalette.placeholder)
        case .failure: fill(tileRows, x: left, width: layout.tile.width, color: WallPalette.failure)
        }
        return true
    }

    /// Copies rows of a poster into the ring buffer.
    ///
    /// - Parameters:
    ///   - pixels: The bytes of the poster.
    ///   - rows: The content rows to which the rows of the poster are copied.
    ///   - firstRow: The row of the poster that is copied to the first of `rows`.
    ///   - x: The left edge of the poster in the view.
    private func copy(_ pixels: UnsafeRawBufferPointer, _ rows: Range<Int>, firstRow: Int, x: Int) {
        let byteCount = visibleWidth(x: x, width: layout.tile.width) * PosterMaker.bytesPerPixel
        let rowBytes = layout.tile.width * PosterMaker.bytesPerPixel
        guard byteCount > 0, let source = pixels.baseAddress, let target = target.baseAddress else { return }
        var row = firstRow
        for span in ring.spans(of: rows) {
            for ringRow in span.ringRow..<span.ringRow + span.contentRows.count {
                (target + ringRow * bytesPerRow + x * PosterMaker.bytesPerPixel)
                    .copyMemory(from: source + row * rowBytes, byteCount: byteCount)
                row += 1
            }
        }
    }

    /// Fills a rectangle that covers content rows with a colour.
    private func fill(_ rows: Range<Int>, x: Int, width: Int, color: UInt32) {
        let pixelCount = visibleWidth(x: x, width: width)
        guard pixelCount > 0, let target = target.baseAddress else { return }
        for span in ring.spans(of: rows) {
            for ringRow in span.ringRow..<span.ringRow + span.contentRows.count {
                (target + ringRow * bytesPerRow + x * PosterMaker.bytesPerPixel)
                    .assumingMemoryBound(to: UInt32.self).update(repeating: color, count: pixelCount)
            }
        }
    }

    /// Returns the width of the visible part of a rectangle with the left edge `x`: a narrow view cuts its column.
    private func visibleWidth(x: Int, width: Int) -> Int { min(width, layout.view.width - x) }
}
