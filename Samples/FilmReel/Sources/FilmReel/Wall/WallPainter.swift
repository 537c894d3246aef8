/// Draws rows of the wall into a ring of rows. Main thread.
struct WallPainter {
    /// What is shown at the place of a poster.
    enum Tile {
        /// The poster.
        case poster(any Poster)
        /// The poster is not ready.
        case placeholder
        /// The poster cannot be made.
        case failure
    }

    let layout: WallLayout
    /// The ring.
    let target: UnsafeMutableRawBufferPointer
    /// The number of bytes of a row of the ring.
    let bytesPerRow: Int

    /// The width of the frame around the selected poster.
    private static let frameWidth = WallLayout.gap / 2

    /// The ring has as many rows as the view.
    private var ring: RingRows { RingRows(height: layout.view.height) }

    /// Draws rows of the content with all posters in them.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - selection: The selected poster.
    ///   - tile: Returns what is shown at the place of a poster.
    /// - Returns: The posters whose rows would have been read from the disk; they are drawn as placeholders.
    func draw(rows: Range<Int>, selection: Int, tile: (Int) -> Tile) -> [Int] {
        fill(rows, x: 0, width: layout.view.width, color: WallPalette.background)
        var unread: [Int] = []
        for index in layout.indices(inRows: layout.rows(in: rows)) {
            let isDrawn = draw(index, rows: rows, isSelected: index == selection, tile(index))
            if !isDrawn { unread.append(index) }
        }
        return unread
    }

    /// Draws the rows of a cell that lie in `rows`.
    ///
    /// - Returns: Whether the poster could be read without waiting.
    func draw(_ index: Int, rows: Range<Int>, isSelected: Bool, _ tile: Tile) -> Bool {
        let origin = layout.cellOrigin(of: index), inset = WallLayout.gap / 2
        let cellRows = (origin.y..<origin.y + layout.cell.height).clamped(to: rows)
        let frame = isSelected ? WallPalette.selection : WallPalette.background
        let top = origin.y + inset, bottom = top + layout.tile.height
        fill((origin.y..<top).clamped(to: cellRows), x: origin.x, width: layout.cell.width, color: frame)
        let end = origin.y + layout.cell.height
        fill((bottom..<end).clamped(to: cellRows), x: origin.x, width: layout.cell.width, color: frame)
        let tileRows = (top..<bottom).clamped(to: rows)
        fill(tileRows, x: origin.x, width: inset, color: frame)
        fill(tileRows, x: origin.x + inset + layout.tile.width, width: inset, color: frame)
        let left = origin.x + inset, shown = tileRows.lowerBound - top..<tileRows.upperBound - top
        switch tile {
        case .poster(let poster):
            let isRead = poster.withBytes(ofRows: shown) { copy($0, tileRows, firstRow: shown.lowerBound, x: left) }
            if isRead { return true }
            fill(tileRows, x: left, width: layout.tile.width, color: WallPalette.placeholder)
            return false
        case .placeholder: fill(tileRows, x: left, width: layout.tile.width, color: WallPalette.placeholder)
        case .failure: fill(tileRows, x: left, width: layout.tile.width, color: WallPalette.failure)
        }
        return true
    }

    /// Copies rows of a poster.
    ///
    /// - Parameters:
    ///   - pixels: The bytes of the poster.
    ///   - rows: The rows of the content.
    ///   - firstRow: The row of the poster that belongs to the first of them.
    ///   - x: The left edge of the poster in the view.
    private func copy(_ pixels: UnsafeRawBufferPointer, _ rows: Range<Int>, firstRow: Int, x: Int) {
        let count = visibleWidth(x: x, width: layout.tile.width) * PosterMaker.bytesPerPixel
        let rowBytes = layout.tile.width * PosterMaker.bytesPerPixel
        guard count > 0, let source = pixels.baseAddress, let target = target.baseAddress else { return }
        var row = firstRow
        for span in ring.spans(of: rows) {
            for ringRow in span.ringRow..<span.ringRow + span.content.count {
                (target + ringRow * bytesPerRow + x * PosterMaker.bytesPerPixel)
                    .copyMemory(from: source + row * rowBytes, byteCount: count)
                row += 1
            }
        }
    }

    /// Fills a part of rows of the content.
    private func fill(_ rows: Range<Int>, x: Int, width: Int, color: UInt32) {
        let count = visibleWidth(x: x, width: width)
        guard count > 0, let target = target.baseAddress else { return }
        for span in ring.spans(of: rows) {
            for ringRow in span.ringRow..<span.ringRow + span.content.count {
                (target + ringRow * bytesPerRow + x * PosterMaker.bytesPerPixel)
                    .assumingMemoryBound(to: UInt32.self).update(repeating: color, count: count)
            }
        }
    }

    /// Returns how much of a width the view has room for: a narrow view cuts the only column.
    private func visibleWidth(x: Int, width: Int) -> Int { min(width, layout.view.width - x) }
}
