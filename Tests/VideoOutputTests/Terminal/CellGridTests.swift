import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct CellGridTests {
    private func row(_ grid: CellGrid, _ y: Int) -> String {
        // A cell that a wide character to its left covers is "_".
        String(
            (0..<grid.columns).map {
                grid[$0, y].scalar == 0 ? "_" : Character(Unicode.Scalar(grid[$0, y].scalar) ?? "?")
            })
    }

    private func written(_ grid: CellGrid) -> [Int] {
        (0..<grid.rows).filter { y in (0..<grid.columns).contains { grid[$0, y].scalar != 32 } }
    }

    @Test(arguments: [TerminalColours.direct, .indexed256, .indexed16]) func aNewGridIsBlack(_ colours: TerminalColours)
    {
        let grid = CellGrid(columns: 3, rows: 2, colours: colours)
        #expect(grid.cells == [TerminalCell](repeating: .blank(colours), count: 6))
        #expect(grid.cells[0].background == (colours == .indexed256 ? 16 : 0))
    }

    @Test func subtitlesAreCentredAboveTheLastRow() {
        var grid = CellGrid(columns: 11, rows: 6, colours: .direct)
        grid.writeSubtitles("abc", in: PixelRect(x: 0, y: 0, width: 11, height: 6))
        #expect(written(grid) == [4])
        #expect(row(grid, 4) == "    abc    ")
        #expect(grid[4, 4].foreground == 0xffffff && grid[4, 4].background == 0)
    }

    @Test func linesKeepTheirOrder() {
        var grid = CellGrid(columns: 5, rows: 8, colours: .direct)
        grid.writeSubtitles("one\ntwo", in: PixelRect(x: 0, y: 0, width: 5, height: 8))
        #expect(row(grid, 5) == " one " && row(grid, 6) == " two ")
    }

    @Test func onlyTheLowerHalfIsUsedAndTheLastLinesStay() {
        var grid = CellGrid(columns: 5, rows: 6, colours: .direct)
        grid.writeSubtitles("a\nb\nc\nd\ne\nf", in: PixelRect(x: 0, y: 0, width: 5, height: 6))
        #expect(written(grid) == [2, 3, 4])
        #expect(row(grid, 2) == "  d  " && row(grid, 4) == "  f  ")
    }

    @Test func subtitlesStayInsideThePicture() {
        var grid = CellGrid(columns: 20, rows: 10, colours: .direct)
        grid.writeSubtitles("a very long line of text", in: PixelRect(x: 6, y: 2, width: 8, height: 4))
        #expect(written(grid) == [4])
        #expect(row(grid, 4) == "       a very       ")
    }

    @Test func aPictureOfOneRowHasItsLine() {
        var grid = CellGrid(columns: 7, rows: 1, colours: .direct)
        grid.writeSubtitles("x\ny", in: PixelRect(x: 0, y: 0, width: 7, height: 1))
        #expect(row(grid, 0) == "   y   ")
    }

    @Test func aWideCharacterHoldsTwoCells() {
        var grid = CellGrid(columns: 6, rows: 4, colours: .indexed16)
        grid.writeSubtitles("日本", in: PixelRect(x: 0, y: 0, width: 6, height: 4))
        #expect(row(grid, 2) == " 日_本_ ")
        #expect(grid[1, 2].foreground == 15)
    }

    @Test func aMarkWithoutALetterIsLeftOut() {
        var grid = CellGrid(columns: 5, rows: 4, colours: .direct)
        grid.writeSubtitles("a\u{301}b", in: PixelRect(x: 0, y: 0, width: 5, height: 4))
        #expect(row(grid, 2) == " ab  ")
    }

    @Test func aCentredTextKeepsTheBackground() {
        var grid = CellGrid(columns: 7, rows: 5, colours: .direct)
        grid[3, 2].background = 0x123456
        grid.centre("abc")
        #expect(row(grid, 2) == "  abc  ")
        #expect(grid[3, 2].background == 0x123456 && grid[3, 2].foreground == 0xffffff)
    }

    @Test func aCentredTextGivesWayToTheCorner() {
        var grid = CellGrid(columns: 7, rows: 10, colours: .direct)
        grid.centre("abc", above: PixelRect(x: 4, y: 4, width: 3, height: 6))
        #expect(written(grid) == [2])
        grid = CellGrid(columns: 7, rows: 10, colours: .direct)
        grid.centre("abc", above: PixelRect(x: 4, y: 1, width: 3, height: 9))
        #expect(written(grid) == [0])
    }

    @Test func aTextThatIsTooLongIsCutWithAMarginOnBothSides() {
        var grid = CellGrid(columns: 5, rows: 1, colours: .direct)
        grid.centre("abcdefgh")
        #expect(row(grid, 0) == " abc ")
    }

    @Test func textThatSteersATerminalIsNotWritten() {
        var grid = CellGrid(columns: 9, rows: 3, colours: .direct)
        grid.centre("a\u{1b}[2Jb")
        #expect(row(grid, 1) == "  a[2Jb  ")
        #expect(grid.cells.allSatisfy { $0.scalar >= 32 })
    }
}
