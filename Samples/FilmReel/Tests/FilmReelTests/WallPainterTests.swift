import Testing

@testable import FilmReel

@Suite struct WallPainterTests {
    private let layout = WallLayout(
        tile: PixelSize(width: 20, height: 30), view: PixelSize(width: 60, height: 90), count: 11)

    /// Returns a poster whose pixels contain its number and row.
    private func poster(_ index: Int) -> HeapPoster {
        let pixels = (0..<30).flatMap { row in [UInt32](repeating: UInt32(index << 8 | row), count: 20) }
        return HeapPoster(pixels.withUnsafeBytes { Array($0) })
    }

    /// Returns the colour that the view must show at a point.
    private func expectedColor(x: Int, y: Int, offset: Int, selection: Int) -> UInt32 {
        guard let index = layout.index(atX: x, y: y, offset: offset) else { return WallPalette.background }
        let origin = layout.cellOrigin(of: index), inset = WallLayout.gap / 2
        let column = x - origin.x - inset, row = offset + y - origin.y - inset
        if (0..<20).contains(column), (0..<30).contains(row) { return UInt32(index << 8 | row) }
        return index == selection ? WallPalette.selection : WallPalette.background
    }

    @Test("after scrolling step by step, all pixels of the view are right")
    func scrolledViewHasTheExpectedPixels() {
        let bytesPerRow = 60 * 4
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytesPerRow * 90, alignment: 8)
        defer { memory.deallocate() }
        let painter = WallPainter(layout: layout, target: memory, bytesPerRow: bytesPerRow)
        let ring = RingRows(height: 90)
        var oldOffset: Int?
        for offset in [0, 1, 9, 60, 61, 120, 118, 20, 0, layout.maximumOffset] {
            let unreadIndices = painter.draw(rows: ring.newRows(from: oldOffset, to: offset), selection: 4) {
                .poster(poster($0))
            }
            #expect(unreadIndices.isEmpty)
            oldOffset = offset
            var wrongPixelCount = 0
            for y in 0..<90 {
                for x in 0..<60 {
                    let color = memory.load(
                        fromByteOffset: (offset + y) % 90 * bytesPerRow + x * 4, as: UInt32.self)
                    if color != expectedColor(x: x, y: y, offset: offset, selection: 4) { wrongPixelCount += 1 }
                }
            }
            #expect(wrongPixelCount == 0, "at the offset \(offset)")
        }
    }

    @Test func unreadablePosterBecomesAPlaceholder() {
        final class UnreadablePoster: Poster {
            func withBytes(ofRows rows: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool { false }
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 60 * 4 * 90, alignment: 8)
        defer { memory.deallocate() }
        let painter = WallPainter(layout: layout, target: memory, bytesPerRow: 60 * 4)
        let unreadIndices = painter.draw(rows: 0..<90, selection: 0) {
            $0 == 1 ? .poster(UnreadablePoster()) : .poster(poster($0))
        }
        #expect(unreadIndices == [1])
        let origin = layout.cellOrigin(of: 1)
        let color = memory.load(fromByteOffset: (origin.y + 10) * 240 + (origin.x + 10) * 4, as: UInt32.self)
        #expect(color == WallPalette.placeholder)
    }
}
