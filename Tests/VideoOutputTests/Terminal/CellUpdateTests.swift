import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct CellUpdateTests {
    /// Returns a grid with the characters of `text`; "_" is the second half of a wide character.
    private func grid(_ text: String, columns: Int = 4, colours: TerminalColours = .indexed256) -> CellGrid {
        var grid = CellGrid(columns: columns, rows: text.unicodeScalars.count / columns, colours: colours)
        for (index, scalar) in text.unicodeScalars.enumerated() {
            grid.cells[index] = TerminalCell(scalar: scalar == "_" ? 0 : scalar.value, foreground: 1, background: 2)
        }
        return grid
    }

    /// Returns the terminal output that updates the screen to `grid`, whose upper left cell is at column `x` and row
    /// `y`. `hole`: the cells that another program draws and that the update leaves out.
    private func draw(
        _ update: inout CellUpdate, _ grid: CellGrid, x: Int = 0, y: Int = 0, leaving hole: PixelRect? = nil
    ) -> String {
        var bytes = TerminalBytes()
        update.draw(grid, x: x, y: y, leaving: hole, into: &bytes)
        return String(decoding: bytes.bytes, as: UTF8.self)
    }

    /// The escape sequence that selects foreground colour 1 and background colour 2.
    private let colourSequence = "\u{1b}[38;5;1;48;5;2m"

    @Test func eachRowBeginsWithACursorMove() {
        var update = CellUpdate()
        #expect(update.isEmpty)
        #expect(draw(&update, grid("abcdefgh")) == "\u{1b}[1;1H\(colourSequence)abcd\u{1b}[2;1Hefgh")
        #expect(!update.isEmpty)
    }

    @Test func cellsAreOffsetByThePositionOfTheGrid() {
        var update = CellUpdate()
        #expect(draw(&update, grid("abcd"), x: 10, y: 20).hasPrefix("\u{1b}[21;11H"))
    }

    @Test func unchangedCellsAreNotWritten() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcd"))
        #expect(draw(&update, grid("abcd")).isEmpty)
    }

    @Test func onlyChangedCellsAreWritten() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcdefgh"))
        #expect(draw(&update, grid("abXdefgh")) == "\u{1b}[1;3H\(colourSequence)X")
    }

    @Test func adjacentChangesShareOneCursorMove() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcdefgh"))
        #expect(draw(&update, grid("aXYdefgh")) == "\u{1b}[1;2H\(colourSequence)XY")
    }

    @Test func forgottenCellsAreWrittenAgain() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcdefgh"))
        update.invalidate(PixelRect(x: 1, y: 1, width: 2, height: 9))
        #expect(draw(&update, grid("abcdefgh")) == "\u{1b}[2;2H\(colourSequence)fg")
    }

    @Test func forgettingTheScreenWritesAllCellsAgain() {
        var update = CellUpdate()
        let first = draw(&update, grid("abcdefgh"))
        update.invalidate()
        #expect(draw(&update, grid("abcdefgh")) == first)
    }

    @Test func aNewGridShapeWritesAllCells() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcdefgh"))
        #expect(draw(&update, grid("abcdefgh", columns: 2)).contains("\u{1b}[4;1Hgh"))
    }

    @Test func aNewColourModeWritesAllCells() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcd"))
        #expect(draw(&update, grid("abcd", colours: .indexed16)).hasSuffix("abcd"))
    }

    @Test func cellsOfAnotherProgramAreNotWritten() {
        var update = CellUpdate()
        let hole = PixelRect(x: 1, y: 0, width: 2, height: 1)
        #expect(draw(&update, grid("abcd"), leaving: hole) == "\u{1b}[1;1H\(colourSequence)a\u{1b}[1;4Hd")
    }

    @Test func aWideCharacterCoversTheNextCell() {
        var update = CellUpdate()
        #expect(draw(&update, grid("日_ab")) == "\u{1b}[1;1H\(colourSequence)日ab")
    }

    @Test func aWideCharacterThatReachesIntoCellsOfAnotherProgramIsNotWritten() {
        var update = CellUpdate()
        let hole = PixelRect(x: 2, y: 0, width: 2, height: 1)
        #expect(draw(&update, grid("a日_b"), leaving: hole) == "\u{1b}[1;1H\(colourSequence)a")
    }
}
