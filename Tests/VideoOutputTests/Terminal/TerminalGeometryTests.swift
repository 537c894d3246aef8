import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct TerminalGeometryTests {
    @Test func implausibleTerminalSizesAreReplaced() {
        let defaultGeometry = TerminalGeometry(columns: 0, rows: 0)
        #expect(defaultGeometry.columns == 80 && defaultGeometry.rows == 24)
        #expect(defaultGeometry.cellWidth == 10 && defaultGeometry.cellHeight == 20)
        let clampedGeometry = TerminalGeometry(columns: 65_535, rows: 65_535)
        #expect(clampedGeometry.columns == 1000 && clampedGeometry.rows == 500)
        let singleCell = TerminalGeometry(columns: 1, rows: 1)
        #expect(!singleCell.hasStatusRow && singleCell.pictureRows == 1)
        let measuredGeometry = TerminalGeometry(columns: 100, rows: 50, pixels: PixelSize(width: 800, height: 900))
        #expect(measuredGeometry.cellWidth == 8 && measuredGeometry.cellHeight == 18)
        #expect(TerminalGeometry(columns: 100, rows: 50, cell: PixelSize(width: 7, height: 15)).cellWidth == 7)
    }

    @Test(arguments: [VideoGravity.resizeAspect, .resizeAspectFill, .resize]) func thePictureStaysInsideTheTerminal(
        _ gravity: VideoGravity
    ) throws {
        let format = try makeFrame(width: 1920, height: 1080, level: 0).format
        for columns in [1, 2, 3, 79, 120, 1000] {
            for rows in [1, 2, 3, 24, 34, 500] {
                let geometry = TerminalGeometry(columns: columns, rows: rows)
                let (cells, source) = geometry.pictureArea(for: format, gravity: gravity)
                #expect(cells.x >= 0 && cells.y >= 0 && cells.width > 0 && cells.height > 0)
                #expect(cells.x + cells.width <= columns && cells.y + cells.height <= geometry.pictureRows)
                #expect(source.width > 0 && source.x + source.width <= 1920 && source.y + source.height <= 1080)
            }
        }
        let (cells, _) = TerminalGeometry(columns: 120, rows: 34).pictureArea(for: format, gravity: .resizeAspect)
        #expect(cells == PixelRect(x: 1, y: 0, width: 117, height: 33))
    }

    @Test func aRotatedPictureUsesItsDisplayAspectRatio() throws {
        let uprightFormat = try makeFrame(width: 1920, height: 1080, level: 0).format
        var attributes = PictureAttributes()
        attributes.orientation = PictureOrientation(a: 0, b: 1, c: -1, d: 0)
        attributes.crop = PictureCrop(left: 240, top: 0, right: 240, bottom: 0)
        let format = FrameFormat(layout: uprightFormat.layout, attributes: attributes)
        let (cells, source) = TerminalGeometry(columns: 120, rows: 37).pictureArea(for: format, gravity: .resizeAspect)
        // A cell has 10 × 20 pixels, so 36 rows have 720 pixels. A picture of 1080 × 1440 is then 540 pixels, or 54
        // columns, wide.
        #expect(cells == PixelRect(x: 33, y: 0, width: 54, height: 36))
        #expect(source == PixelRect(x: 240, y: 0, width: 1440, height: 1080))
    }
}
