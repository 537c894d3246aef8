import SharedFrames
import Testing

@testable import SwiftPlayCLI

@Suite struct OverviewLayoutTests {
    /// Windows from the smallest to 4K, with and without a scaled display, and no tile to many.
    private static let layouts: [OverviewLayout] = [
        (1, 1), (40, 30), (200, 150), (640, 480), (1008, 660), (1920, 1080), (3840, 2160),
    ].flatMap { width, height in
        [1, 1.5, 2, 8].flatMap { scale in
            [0, 1, 2, 7, 100].map { count in
                OverviewLayout(size: PixelSize(width: width, height: height), scale: scale, count: count)
            }
        }
    }

    private func layout(_ width: Int, _ height: Int, count: Int = 100, scale: Double = 1) -> OverviewLayout {
        OverviewLayout(size: PixelSize(width: width, height: height), scale: scale, count: count)
    }

    @Test(arguments: layouts) func tilesDoNotOverlapAndLieInTheWindow(_ layout: OverviewLayout) {
        let tiles = (0..<layout.count).map { layout.rect(of: $0, scroll: 0) }
        let isNarrow = layout.size.width < 40
        #expect(
            tiles.allSatisfy { tile in
                tile.width > 0 && tile.height > 0 && tile.y >= 0
                    && (isNarrow || tile.x >= 0 && tile.x + tile.width <= layout.size.width)
            })
        #expect(!tiles.indices.contains { index in tiles[..<index].contains { $0.overlaps(tiles[index]) } })
    }

    @Test(arguments: layouts) func thePartsOfATileLieInIt(_ layout: OverviewLayout) {
        let tile = layout.rect(of: 0, scroll: 0), picture = layout.picture(in: tile)
        let parts =
            [picture, layout.closeButton(in: tile)] + (0..<3).map { layout.textLine($0, in: tile) }
        for part in parts where layout.size.width >= 200 && tile.width >= 60 {
            #expect(part.x >= tile.x && part.x + part.width <= tile.x + tile.width)
            #expect(part.y >= tile.y && part.y + part.height <= tile.y + tile.height)
        }
        for line in 0..<3 { #expect(!layout.textLine(line, in: tile).overlaps(picture)) }
    }

    @Test(arguments: layouts) func visibleTilesAreThoseInTheWindow(_ layout: OverviewLayout) {
        for scroll in [0, layout.scrollLimit / 2, layout.scrollLimit] {
            let visible = layout.visibleTiles(scroll: scroll)
            let missing = (0..<layout.count).filter { index in
                let tile = layout.rect(of: index, scroll: scroll)
                return tile.y < layout.size.height && tile.y + tile.height > 0 && !visible.contains(index)
            }
            #expect(missing.isEmpty)
            #expect(visible.count <= (layout.size.height / layout.rowHeight + 3) * layout.columns)
        }
    }

    @Test(arguments: layouts) func everyTileIsShownBySomeScrolling(_ layout: OverviewLayout) {
        let hidden = (0..<layout.count).filter { index in
            let scroll = layout.scroll(showing: index, from: 0), tile = layout.rect(of: index, scroll: scroll)
            let fits = tile.height > layout.size.height || tile.y + tile.height <= layout.size.height
            let isSteady = layout.scroll(showing: index, from: scroll) == scroll
            return !fits || !isSteady || tile.y < 0 || !(0...layout.scrollLimit).contains(scroll)
        }
        #expect(hidden.isEmpty)
    }

    @Test func aWiderWindowHasMoreColumns() {
        #expect([200, 500, 560, 1008, 3840].map { layout($0, 600).columns } == [1, 1, 2, 3, 14])
        #expect(layout(1008, 600, scale: 2).columns == 1)
    }

    @Test func fewTilesAreNotLargerThanNecessary() {
        let layout = layout(3840, 2160, count: 2)
        #expect(layout.columns == 2 && layout.tile.width == 400)
        // The tiles are in the middle.
        #expect(layout.rect(of: 0, scroll: 0).x + layout.rect(of: 1, scroll: 0).x + 400 == 3840)
    }

    @Test func aPositionBetweenTilesIsNoTile() {
        let layout = layout(1008, 660), first = layout.rect(of: 0, scroll: 0), fourth = layout.rect(of: 3, scroll: 50)
        #expect(layout.tile(atX: first.x, y: first.y, scroll: 0) == 0)
        #expect(layout.tile(atX: first.x + first.width, y: first.y, scroll: 0) == nil)
        #expect(layout.tile(atX: fourth.x + 5, y: fourth.y + 5, scroll: 50) == 3)
    }

    @Test func rowsOfTransfersEndAboveTheLowerEdgeOfThePicture() {
        let layout = layout(1008, 660), picture = layout.picture(in: layout.rect(of: 0, scroll: 0))
        let rows = layout.transferRows(2, in: picture)
        #expect(rows.count == 2 && rows[0].y + rows[0].height == rows[1].y)
        #expect(rows[1].y + rows[1].height <= picture.y + picture.height && layout.transferRows(0, in: picture) == [])
    }

    @Test func theScrollBarFollowsTheTiles() throws {
        let layout = layout(1008, 660)
        let top = try #require(layout.scrollThumb(scroll: 0))
        let bottom = try #require(layout.scrollThumb(scroll: layout.scrollLimit))
        #expect(top.y == 0 && bottom.y + bottom.height == 660 && top.height >= 24)
        #expect(self.layout(1008, 660, count: 3).scrollThumb(scroll: 0) == nil)
    }

    @Test func tilesAreScrolledAboveAMessage() {
        let layout = OverviewLayout(size: PixelSize(width: 1008, height: 660), scale: 1, count: 100, hasMessage: true)
        let last = layout.rect(of: 99, scroll: layout.scrollLimit), message = layout.messageLine
        #expect(last.y + last.height + layout.margin == message.y)
        #expect(layout.tile(atX: 500, y: message.y, scroll: 0) == nil)
        #expect(layout.scroll(showing: 99, from: 0) == layout.scrollLimit)
    }

    @Test func theMessageLiesInTheWindow() {
        #expect(layout(1008, 660).messageLine == PixelRect(x: 0, y: 632, width: 1008, height: 28))
        #expect(layout(20, 10).messageLine == PixelRect(x: 0, y: 0, width: 20, height: 10))
    }
}
