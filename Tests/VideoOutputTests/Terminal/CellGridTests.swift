import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct CellGridTests {
    /// Returns the characters of row `y`.
    private func rowText(_ grid: CellGrid, _ y: Int) -> String {
        // "_" stands for a cell that the wide character to its left covers.
        String(
            (0..<grid.columns).map {
                grid[$0, y].scalar == 0 ? "_" : Character(Unicode.Scalar(grid[$0, y].scalar) ?? "?")
            })
    }

    /// Returns the numbers of the rows that contain a character other than a space.
    private func rowsWithText(_ grid: CellGrid) -> [Int] {
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
        #expect(rowsWithText(grid) == [4])
        #expect(rowText(grid, 4) == "    abc    ")
        #expect(grid[4, 4].foreground == 0xffffff && grid[4, 4].background == 0)
    }

    @Test func subtitleLinesKeepTheirOrder() {
        var grid = CellGrid(columns: 5, rows: 8, colours: .direct)
        grid.writeSubtitles("one\ntwo", in: PixelRect(x: 0, y: 0, width: 5, height: 8))
        #expect(rowText(grid, 5) == " one " && rowText(grid, 6) == " two ")
    }

    @Test func subtitlesUseTheLowerHalfAndKeepTheLastLines() {
        var grid = CellGrid(columns: 5, rows: 6, colours: .direct)
        grid.writeSubtitles("a\nb\nc\nd\ne\nf", in: PixelRect(x: 0, y: 0, width: 5, height: 6))
        #expect(rowsWithText(grid) == [2, 3, 4])
        #expect(rowText(grid, 2) == "  d  " && rowText(grid, 4) == "  f  ")
    }

    @Test func subtitlesStayInsideThePicture() {
        var grid = CellGrid(columns: 20, rows: 10, colours: .direct)
        grid.writeSubtitles("a very long line of text", in: PixelRect(x: 6, y: 2, width: 8, height: 4))
        #expect(rowsWithText(grid) == [4])
        #expect(rowText(grid, 4) == "       a very       ")
    }

    @Test func aPictureOfOneRowShowsTheLastLine() {
        var grid = CellGrid(columns: 7, rows: 1, colours: .direct)
        grid.writeSubtitles("x\ny", in: PixelRect(x: 0, y: 0, width: 7, height: 1))
        #expect(rowText(grid, 0) == "   y   ")
    }

    @Test func aWideCharacterTakesTwoCells() {
        var grid = CellGrid(columns: 6, rows: 4, colours: .indexed16)
        grid.writeSubtitles("日本", in: PixelRect(x: 0, y: 0, width: 6, height: 4))
        #expect(rowText(grid, 2) == " 日_本_ ")
        #expect(grid[1, 2].foreground == 15)
    }

    @Test func combiningMarksAreDropped() {
        var grid = CellGrid(columns: 5, rows: 4, colours: .direct)
        grid.writeSubtitles("a\u{301}b", in: PixelRect(x: 0, y: 0, width: 5, height: 4))
        #expect(rowText(grid, 2) == " ab  ")
    }

    @Test func aCentredTextKeepsTheBackground() {
        var grid = CellGrid(columns: 7, rows: 5, colours: .direct)
        grid[3, 2].background = 0x123456
        grid.writeCentred("abc")
        #expect(rowText(grid, 2) == "  abc  ")
        #expect(grid[3, 2].background == 0x123456 && grid[3, 2].foreground == 0xffffff)
    }

    @Test func centredTextMovesAboveTheCorner() {
        var grid = CellGrid(columns: 7, rows: 10, colours: .direct)
        grid.writeCentred("abc", above: PixelRect(x: 4, y: 4, width: 3, height: 6))
        #expect(rowsWithText(grid) == [2])
        grid = CellGrid(columns: 7, rows: 10, colours: .direct)
        grid.writeCentred("abc", above: PixelRect(x: 4, y: 1, width: 3, height: 9))
        #expect(rowsWithText(grid) == [0])
    }

    @Test func tooLongTextIsCutWithMarginsOnBothSides() {
        var grid = CellGrid(columns: 5, rows: 1, colours: .direct)
        grid.writeCentred("abcdefgh")
        #expect(rowText(grid, 0) == " abc ")
    }

    @Test func controlCharactersAreRemoved() {
        var grid = CellGrid(columns: 9, rows: 3, colours: .direct)
        grid.writeCentred("a\u{1b}[2Jb")
        #expect(rowText(grid, 1) == "  a[2Jb  ")
        #expect(grid.cells.allSatisfy { $0.scalar >= 32 })
    }

    @Test("text is written inside grids and areas of every size")
    func textStaysInsideSmallGrids() {
        for columns in 1...7 {
            for rows in 1...3 {
                for text in ["", "a", "日", "日本語", "e\u{301}x", "a long line\nand\none more", "\u{301}"] {
                    var grid = CellGrid(columns: columns, rows: rows, colours: .direct)
                    grid.writeCentred(text, above: PixelRect(x: 0, y: 0, width: 1, height: 1))
                    grid.writeSubtitles(text, in: PixelRect(x: 0, y: 0, width: columns, height: rows))
                    grid.writeSubtitles(text, in: PixelRect(x: columns - 1, y: rows - 1, width: 1, height: 1))
                    #expect(grid.cells.count == columns * rows)
                    // The right half of a wide character follows its left half.
                    for row in 0..<rows { #expect(grid[0, row].scalar != 0) }
                }
            }
        }
    }
}
