import CompositorProtocol
import SharedFrames
import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct OverviewPainterTests {
    /// A drawn window.
    private struct Drawing {
        let size: PixelSize
        var pixels: [UInt32]

        init(_ scene: OverviewScene, _ painter: inout OverviewPainter) {
            size = scene.layout.size
            // A colour that the painter does not use.
            pixels = [UInt32](repeating: 0xFF12_3456, count: size.width * size.height)
            let drawnSize = size
            pixels.withUnsafeMutableBytes { buffer in
                guard let start = buffer.baseAddress else { return }
                painter.draw(scene, start, drawnSize, stride: drawnSize.width * 4)
            }
        }

        subscript(x: Int, y: Int) -> UInt32 { pixels[y * size.width + x] & 0xFF_FFFF }

        /// Returns the number of different colours in a rectangle.
        func colourCount(_ rect: PixelRect) -> Int {
            let rows = rect.y..<rect.y + rect.height, columns = rect.x..<rect.x + rect.width
            return Set(rows.flatMap { y in columns.map { self[$0, y] } }).count
        }
    }

    private func scene(
        _ entries: [OverviewEntry], width: Int = 700, height: Int = 500, message: String = ""
    ) -> OverviewScene {
        var navigation = OverviewNavigation(size: PixelSize(width: width, height: height), scale: 1)
        navigation.update(entries.map(\.program))
        return OverviewScene(navigation, tiles: entries.map { OverviewTile($0) }, message: message)
    }

    private func drawing(_ scene: OverviewScene) -> Drawing {
        var painter = OverviewPainter()
        return Drawing(scene, &painter)
    }

    private func entry(_ program: String, _ colour: UInt32, inode: UInt64 = 1) -> OverviewEntry {
        let snapshot = Snapshot(
            texts: SnapshotFile.Texts(identifier: program, title: "Film"), writingTime: 0,
            size: PixelSize(width: 160, height: 90), pixels: [UInt32](repeating: colour, count: 160 * 90),
            version: .init(inode: inode))
        return OverviewEntry(program: program, picture: .snapshot(snapshot, age: 0))
    }

    @Test func thePictureOfAProgramIsInItsTile() {
        let scene = scene([entry("a", 0x804020, inode: 1), entry("b", 0x208040, inode: 2)]), drawing = drawing(scene)
        for (index, colour) in [UInt32(0x804020), 0x208040].enumerated() {
            let picture = scene.layout.picture(in: scene.layout.rect(of: index, scroll: 0))
            #expect(drawing[picture.x + picture.width / 2, picture.y + picture.height / 2] == colour)
            #expect(drawing[picture.x + 1, picture.y + picture.height - 2] == colour)
        }
    }

    @Test func aRenewedPictureReplacesTheScaledOne() {
        var painter = OverviewPainter()
        _ = Drawing(scene([entry("a", 0x804020)]), &painter)
        let renewed = scene([entry("a", 0x208040, inode: 2)]), picture = renewed.layout.rect(of: 0, scroll: 0)
        #expect(Drawing(renewed, &painter)[picture.x + picture.width / 2, picture.y + 50] == 0x208040)
    }

    @Test func aProgressBarShowsTheLoadedShare() throws {
        var entry = entry("a", 0)
        entry.transfers = [OverviewFixture.transfer(1, "a")]
        let scene = scene([entry]), drawing = drawing(scene), layout = scene.layout
        let row = try #require(layout.transferRows(1, in: layout.picture(in: layout.rect(of: 0, scroll: 0))).first)
        // The bar lies below the text of the row.
        let y = row.y + row.height - 5
        let red = (row.x..<row.x + row.width).filter { drawing[$0, y] >> 16 > 0xC0 && drawing[$0, y] & 0xFF < 0x60 }
        #expect(abs(red.count - row.width / 2) < 8)
    }

    @Test(arguments: [(1, 1), (7, 5), (40, 30), (200, 150), (3840, 2160)])
    func everySizeIsDrawnWhollyAndWithoutOverflow(_ width: Int, _ height: Int) {
        let entries = (0..<30).map { entry("p\($0)", 0x804020, inode: UInt64($0)) }
        let drawing = drawing(scene(entries, width: width, height: height, message: "a message"))
        #expect(!drawing.pixels.contains { $0 & 0xFF_FFFF == 0x12_3456 })
    }

    @Test func aWindowWithoutProgramsSaysSo() {
        let drawing = drawing(scene([]))
        #expect(drawing.colourCount(PixelRect(x: 200, y: 220, width: 300, height: 60)) > 10)
        #expect(drawing.colourCount(PixelRect(x: 0, y: 0, width: 700, height: 100)) == 1)
    }

    @Test func theTextOfATileDoesNotCoverItsPicture() {
        let scene = scene([entry(String(repeating: "wide ", count: 80), 0x804020)]), layout = scene.layout
        let drawing = drawing(scene), tile = layout.rect(of: 0, scroll: 0)
        let belowButtons = PixelRect(
            x: tile.x + 1, y: tile.y + 40, width: tile.width - 2, height: layout.pictureHeight - 41)
        #expect(drawing.colourCount(belowButtons) == 1)
        let rightOfTile = PixelRect(x: tile.x + tile.width + 3, y: tile.y, width: 10, height: tile.height)
        #expect(drawing.colourCount(rightOfTile) == 1)
    }
}
