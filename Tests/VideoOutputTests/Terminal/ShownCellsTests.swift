import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct ShownCellsTests {
    /// Returns a grid with the characters of `text`; "_" is the second half of a wide character.
    private func grid(_ text: String, columns: Int = 4, colours: TerminalColours = .indexed256) -> CellGrid {
        var grid = CellGrid(columns: columns, rows: text.unicodeScalars.count / columns, colours: colours)
        for (index, scalar) in text.unicodeScalars.enumerated() {
            grid.cells[index] = TerminalCell(scalar: scalar == "_" ? 0 : scalar.value, foreground: 1, background: 2)
        }
        return grid
    }

    /// Returns the terminal output that updates the screen to `grid`, whose upper left cell is at column `x` and row
    /// `y`. `hole`: the cells that another program draws and that the output leaves out.
    private func draw(
        _ shown: inout ShownCells, _ grid: CellGrid, x: Int = 0, y: Int = 0, leaving hole: PixelRect? = nil
    ) -> String {
        var bytes = TerminalBytes()
        shown.draw(grid, x: x, y: y, leaving: hole, into: &bytes)
        return String(decoding: bytes.bytes, as: UTF8.self)
    }

    /// The escape sequence that selects foreground colour 1 and background colour 2.
    private let colourSequence = "\u{1b}[38;5;1;48;5;2m"

    @Test func eachRowBeginsWithACursorMove() {
        var shown = ShownCells()
        #expect(shown.isUnknown)
        #expect(draw(&shown, grid("abcdefgh")) == "\u{1b}[1;1H\(colourSequence)abcd\u{1b}[2;1Hefgh")
        #expect(!shown.isUnknown)
    }

    @Test func cellsAreOffsetByThePositionOfTheGrid() {
        var shown = ShownCells()
        #expect(draw(&shown, grid("abcd"), x: 10, y: 20).hasPrefix("\u{1b}[21;11H"))
    }

    @Test func unchangedCellsAreNotWritten() {
        var shown = ShownCells()
        _ = draw(&shown, grid("abcd"))
        #expect(draw(&shown, grid("abcd")).isEmpty)
    }

    @Test func onlyChangedCellsAreWritten() {
        var shown = ShownCells()
        _ = draw(&shown, grid("abcdefgh"))
        #expect(draw(&shown, grid("abXdefgh")) == "\u{1b}[1;3H\(colourSequence)X")
    }

    @Test func adjacentChangesShareOneCursorMove() {
        var shown = ShownCells()
        _ = draw(&shown, grid("abcdefgh"))
        #expect(draw(&shown, grid("aXYdefgh")) == "\u{1b}[1;2H\(colourSequence)XY")
    }

    @Test func forgottenCellsAreWrittenAgain() {
        var shown = ShownCells()
        _ = draw(&shown, grid("abcdefgh"))
        shown.invalidate(PixelRect(x: 1, y: 1, width: 2, height: 9))
        #expect(draw(&shown, grid("abcdefgh")) == "\u{1b}[2;2H\(colourSequence)fg")
    }

    @Test func forgettingTheScreenWritesAllCellsAgain() {
        var shown = ShownCells()
        let first = draw(&shown, grid("abcdefgh"))
        shown.invalidate()
        #expect(draw(&shown, grid("abcdefgh")) == first)
    }

    @Test func aNewGridShapeWritesAllCells() {
        var shown = ShownCells()
        _ = draw(&shown, grid("abcdefgh"))
        #expect(draw(&shown, grid("abcdefgh", columns: 2)).contains("\u{1b}[4;1Hgh"))
    }

    @Test func aNewColourModeWritesAllCells() {
        var shown = ShownCells()
        _ = draw(&shown, grid("abcd"))
        #expect(draw(&shown, grid("abcd", colours: .indexed16)).hasSuffix("abcd"))
    }

    @Test func cellsOfAnotherProgramAreNotWritten() {
        var shown = ShownCells()
        let hole = PixelRect(x: 1, y: 0, width: 2, height: 1)
        #expect(draw(&shown, grid("abcd"), leaving: hole) == "\u{1b}[1;1H\(colourSequence)a\u{1b}[1;4Hd")
    }

    @Test func aWideCharacterCoversTheNextCell() {
        var shown = ShownCells()
        #expect(draw(&shown, grid("日_ab")) == "\u{1b}[1;1H\(colourSequence)日ab")
    }

    @Test func aWideCharacterThatReachesIntoCellsOfAnotherProgramIsNotWritten() {
        var shown = ShownCells()
        let hole = PixelRect(x: 2, y: 0, width: 2, height: 1)
        #expect(draw(&shown, grid("a日_b"), leaving: hole) == "\u{1b}[1;1H\(colourSequence)a")
    }
}
