import Testing

@testable import FilmReel

@Suite struct WallLayoutTests {
    /// Layouts with a page of 5x3, a low view, a view smaller than a poster, one poster, and no posters.
    static let layouts = [
        WallLayout(tile: PixelSize(width: 300, height: 450), view: PixelSize(width: 1540, height: 1374), count: 2000),
        WallLayout(tile: PixelSize(width: 300, height: 450), view: PixelSize(width: 1600, height: 900), count: 17),
        WallLayout(tile: PixelSize(width: 300, height: 450), view: PixelSize(width: 100, height: 80), count: 9),
        WallLayout(tile: PixelSize(width: 40, height: 40), view: PixelSize(width: 500, height: 500), count: 1),
        WallLayout(tile: PixelSize(width: 40, height: 40), view: PixelSize(width: 500, height: 500), count: 0),
    ]

    @Test func pageHasFiveColumnsAndThreeRows() {
        let layout = Self.layouts[0]
        #expect(layout.columnCount == 5)
        #expect(layout.rowCount == 400)
        #expect(layout.pageRowCount == 3)
        #expect(layout.pageHeight == 3 * 458)
        #expect(layout.contentHeight == 400 * 458)
        #expect(layout.maximumOffset == 400 * 458 - 1374)
        #expect(layout.visibleIndices(atOffset: 0) == 0..<15)
        #expect(layout.visibleIndices(atOffset: 1) == 0..<20)
        #expect(layout.visibleIndices(atOffset: 458) == 5..<20)
        #expect(layout.visibleIndices(atOffset: layout.maximumOffset) == 1985..<2000)
    }

    @Test("each point of a poster's cell belongs to the poster", arguments: layouts)
    func pointsInACellBelongToItsPoster(layout: WallLayout) {
        for index in stride(from: 0, to: layout.count, by: 7) {
            let origin = layout.cellOrigin(of: index)
            let offset = layout.offset(revealing: index, from: 0)
            for (dx, dy) in [(0, 0), (layout.cell.width - 1, layout.cell.height - 1)] {
                let y = origin.y + dy - offset
                guard (0..<layout.view.height).contains(y) else { continue }
                #expect(layout.index(atX: origin.x + dx, y: y, offset: offset) == index)
            }
        }
    }

    @Test("a poster is visible if and only if a row of its cell is", arguments: layouts)
    func visiblePostersHaveVisibleRows(layout: WallLayout) {
        for offset in Set([0, 1, 457, 458, 459, layout.maximumOffset / 2, layout.maximumOffset]) {
            let view = offset..<offset + layout.view.height
            let expectedIndices = (0..<layout.count).filter { index in
                let top = layout.cellOrigin(of: index).y
                return (top..<top + layout.cell.height).overlaps(view)
            }
            #expect(Array(layout.visibleIndices(atOffset: offset)) == expectedIndices)
        }
    }

    @Test func pointsBesidePostersHaveNoIndex() {
        let layout = Self.layouts[1]
        #expect(layout.leftMargin > 0)
        #expect(layout.index(atX: 0, y: 10, offset: 0) == nil)
        #expect(layout.index(atX: layout.leftMargin + 5 * layout.cell.width, y: 10, offset: 0) == nil)
        #expect(layout.index(atX: 400, y: -1, offset: 0) == nil)
        #expect(layout.index(atX: 400, y: 900, offset: 0) == nil)
        // The last row has two posters.
        let lastOffset = layout.maximumOffset
        #expect(layout.index(atX: layout.leftMargin + 2 * layout.cell.width, y: 899, offset: lastOffset) == nil)
        #expect(layout.index(atX: layout.leftMargin + layout.cell.width, y: 899, offset: lastOffset) == 16)
    }

    @Test func revealingMovesAsLittleAsPossible() {
        let layout = Self.layouts[0]
        #expect(layout.offset(revealing: 7, from: 0) == 0)
        #expect(layout.offset(revealing: 15, from: 0) == 458)
        #expect(layout.offset(revealing: 0, from: 5000) == 0)
        #expect(layout.offset(revealing: 1999, from: 0) == layout.maximumOffset)
    }
}
