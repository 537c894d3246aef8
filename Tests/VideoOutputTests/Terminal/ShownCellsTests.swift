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
    /// `y`. `excludedArea`: the cells that another program draws and that the output leaves out.
    private func draw(
        _ shownCells: inout ShownCells, _ grid: CellGrid, x: Int = 0, y: Int = 0,
        excluding excludedArea: PixelRect? = nil
    ) -> String {
        var bytes = TerminalBytes()
        shownCells.draw(grid, x: x, y: y, excluding: excludedArea, into: &bytes)
        return String(decoding: bytes.bytes, as: UTF8.self)
    }

    /// The escape sequence that selects foreground colour 1 and background colour 2.
    private let colourSequence = "\u{1b}[38;5;1;48;5;2m"

    @Test func eachRowBeginsWithACursorMove() {
        var shownCells = ShownCells()
        #expect(shownCells.isUnknown)
        #expect(draw(&shownCells, grid("abcdefgh")) == "\u{1b}[1;1H\(colourSequence)abcd\u{1b}[2;1Hefgh")
        #expect(!shownCells.isUnknown)
    }

    @Test func cellsAreOffsetByThePositionOfTheGrid() {
        var shownCells = ShownCells()
        #expect(draw(&shownCells, grid("abcd"), x: 10, y: 20).hasPrefix("\u{1b}[21;11H"))
    }

    @Test func unchangedCellsAreNotWritten() {
        var shownCells = ShownCells()
        _ = draw(&shownCells, grid("abcd"))
        #expect(draw(&shownCells, grid("abcd")).isEmpty)
    }

    @Test func onlyChangedCellsAreWritten() {
        var shownCells = ShownCells()
        _ = draw(&shownCells, grid("abcdefgh"))
        #expect(draw(&shownCells, grid("abXdefgh")) == "\u{1b}[1;3H\(colourSequence)X")
    }

    @Test func adjacentChangesShareOneCursorMove() {
        var shownCells = ShownCells()
        _ = draw(&shownCells, grid("abcdefgh"))
        #expect(draw(&shownCells, grid("aXYdefgh")) == "\u{1b}[1;2H\(colourSequence)XY")
    }

    @Test func invalidatedCellsAreWrittenAgain() {
        var shownCells = ShownCells()
        _ = draw(&shownCells, grid("abcdefgh"))
        shownCells.invalidate(PixelRect(x: 1, y: 1, width: 2, height: 9))
        #expect(draw(&shownCells, grid("abcdefgh")) == "\u{1b}[2;2H\(colourSequence)fg")
    }

    @Test func invalidatingAllCellsWritesThemAgain() {
        var shownCells = ShownCells()
        let firstOutput = draw(&shownCells, grid("abcdefgh"))
        shownCells.invalidate()
        #expect(draw(&shownCells, grid("abcdefgh")) == firstOutput)
    }

    @Test func aNewGridShapeWritesAllCells() {
        var shownCells = ShownCells()
        _ = draw(&shownCells, grid("abcdefgh"))
        #expect(draw(&shownCells, grid("abcdefgh", columns: 2)).contains("\u{1b}[4;1Hgh"))
    }

    @Test func aNewColourModeWritesAllCells() {
        var shownCells = ShownCells()
        _ = draw(&shownCells, grid("abcd"))
        #expect(draw(&shownCells, grid("abcd", colours: .indexed16)).hasSuffix("abcd"))
    }

    @Test func cellsOfAnotherProgramAreNotWritten() {
        var shownCells = ShownCells()
        let excludedArea = PixelRect(x: 1, y: 0, width: 2, height: 1)
        #expect(draw(&shownCells, grid("abcd"), excluding: excludedArea) == "\u{1b}[1;1H\(colourSequence)a\u{1b}[1;4Hd")
    }

    @Test func aWideCharacterCoversTheNextCell() {
        var shownCells = ShownCells()
        #expect(draw(&shownCells, grid("日_ab")) == "\u{1b}[1;1H\(colourSequence)日ab")
    }

    @Test func aWideCharacterThatReachesIntoCellsOfAnotherProgramIsNotWritten() {
        var shownCells = ShownCells()
        let excludedArea = PixelRect(x: 2, y: 0, width: 2, height: 1)
        #expect(draw(&shownCells, grid("a日_b"), excluding: excludedArea) == "\u{1b}[1;1H\(colourSequence)a")
    }

    @Test("cells outside the grid, such as those of a larger terminal, may be invalidated")
    func cellsOutsideTheGridAreIgnored() {
        var shownCells = ShownCells()
        _ = draw(&shownCells, grid("abcdefgh"))
        for cells in [
            PixelRect(x: 0, y: 2, width: 4, height: 1), PixelRect(x: 4, y: 0, width: 1, height: 2),
            PixelRect(x: 78, y: 20, width: 40, height: 12), PixelRect(x: 1, y: 9, width: 1, height: 1),
        ] {
            shownCells.invalidate(cells)
            #expect(draw(&shownCells, grid("abcdefgh")).isEmpty, "\(cells)")
        }
    }
}
