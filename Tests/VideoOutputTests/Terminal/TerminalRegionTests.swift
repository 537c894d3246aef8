import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct TerminalRegionTests {
    /// Returns whether the cells, each with a size of `cell` in pixels, form a valid ``TerminalRegion``.
    private func isValid(_ x: Int, _ y: Int, _ width: Int, _ height: Int, cell: (Int, Int) = (10, 20)) -> Bool {
        TerminalRegion(
            cells: PixelRect(x: x, y: y, width: width, height: height), cellWidth: cell.0, cellHeight: cell.1) != nil
    }

    @Test func rectanglesOfCellsUpToTheLimitsAreAccepted() {
        #expect(isValid(0, 0, 1, 1) && isValid(0, 0, 400, 300) && isValid(9998, 9998, 1, 1))
        #expect(isValid(0, 0, 1, 1, cell: (2, 2)) && isValid(0, 0, 1, 1, cell: (100, 200)))
    }

    @Test(arguments: [
        (-1, 0, 1, 1), (0, -1, 1, 1), (0, 0, 0, 1), (0, 0, 1, 0), (0, 0, 401, 1), (0, 0, 1, 301), (9999, 0, 1, 1),
        (0, 9999, 1, 1),
        (9900, 0, 100, 1), (0, 9900, 1, 100), (.max, 0, 1, 1), (0, .min, 1, 1),
    ])
    func cellsOutsideTheLimitsAreRejected(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
        #expect(!isValid(x, y, width, height))
    }

    @Test(arguments: [(1, 20), (101, 20), (10, 1), (10, 201), (-10, 20)])
    func implausibleCellSizesAreRejected(_ width: Int, _ height: Int) {
        #expect(!isValid(0, 0, 10, 10, cell: (width, height)))
    }

    @Test func thePictureAreaOfTheGeometryEqualsTheRegion() throws {
        let region = try #require(
            TerminalRegion(cells: PixelRect(x: 5, y: 6, width: 40, height: 12), cellWidth: 8, cellHeight: 16))
        #expect(region.geometry.columns == 40 && region.geometry.pictureRows == 12)
        #expect(region.geometry.pictureSize == PixelSize(width: 320, height: 192))
    }
}
