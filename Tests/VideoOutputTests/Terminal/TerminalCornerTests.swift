import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct TerminalCornerTests {
    private let wideVideo = PixelSize(width: 1920, height: 1080)

    @Test func theCornerHasAThirdOfTheColumnsAndThePictureAspectRatio() throws {
        let cells = try #require(TerminalCorner.cells(of: TerminalGeometry(columns: 120, rows: 34), picture: wideVideo))
        #expect(cells == PixelRect(x: 79, y: 21, width: 39, height: 11))
        let smallTerminalCells = try #require(
            TerminalCorner.cells(of: TerminalGeometry(columns: 80, rows: 24), picture: wideVideo))
        #expect(smallTerminalCells == PixelRect(x: 53, y: 15, width: 25, height: 7))
    }

    @Test func theCornerOfATallPictureHasHalfOfTheRows() throws {
        let geometry = TerminalGeometry(columns: 120, rows: 61)
        let cells = try #require(TerminalCorner.cells(of: geometry, picture: PixelSize(width: 1080, height: 1920)))
        #expect(cells.height == 30 && cells.width == 34, "\(cells)")
    }

    @Test func aTooSmallTerminalHasNoCorner() {
        #expect(TerminalCorner.cells(of: TerminalGeometry(columns: 39, rows: 50), picture: wideVideo) == nil)
        #expect(TerminalCorner.cells(of: TerminalGeometry(columns: 100, rows: 12), picture: wideVideo) == nil)
        #expect(
            TerminalCorner.cells(of: TerminalGeometry(columns: 40, rows: 13), picture: wideVideo)
                == PixelRect(x: 18, y: 5, width: 20, height: 6))
        #expect(
            TerminalCorner.cells(of: TerminalGeometry(columns: 100, rows: 50), picture: PixelSize(width: 0, height: 9))
                == nil)
    }

    @Test func theCornerLiesInsideTerminalsOfAllSizes() throws {
        for columns in stride(from: 40, through: 1000, by: 37) {
            for rows in stride(from: 13, through: 500, by: 29) {
                for picture in [
                    wideVideo, PixelSize(width: 1, height: 16384), PixelSize(width: 16384, height: 1),
                    PixelSize(width: 4, height: 3),
                ] {
                    let geometry = TerminalGeometry(columns: columns, rows: rows, cell: PixelSize(width: 7, height: 17))
                    let region = try #require(
                        TerminalCorner.region(in: geometry, picture: picture), "\(columns) \(rows) \(picture)")
                    let cells = region.cells, pictureRows = region.pictureCells.height
                    #expect(cells.height == pictureRows + 1)
                    #expect(
                        cells.x >= 0 && cells.y >= 0 && cells.x + cells.width < columns
                            && cells.y + cells.height <= geometry.pictureRows)
                    #expect(
                        cells.width >= 20 && pictureRows >= 6 && cells.width * 2 <= columns
                            && pictureRows * 2 <= geometry.pictureRows)
                }
            }
        }
    }
}
