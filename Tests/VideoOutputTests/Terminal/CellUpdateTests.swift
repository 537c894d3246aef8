import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct CellUpdateTests {
    private func grid(_ text: String, columns: Int = 4, colours: TerminalColours = .indexed256) -> CellGrid {
        var grid = CellGrid(columns: columns, rows: text.unicodeScalars.count / columns, colours: colours)
        for (index, scalar) in text.unicodeScalars.enumerated() {
            grid.cells[index] = TerminalCell(scalar: scalar == "_" ? 0 : scalar.value, foreground: 1, background: 2)
        }
        return grid
    }

    private func draw(
        _ update: inout CellUpdate, _ grid: CellGrid, x: Int = 0, y: Int = 0, leaving hole: PixelRect? = nil
    ) -> String {
        var bytes = TerminalBytes()
        update.draw(grid, x: x, y: y, leaving: hole, into: &bytes)
        return String(decoding: bytes.bytes, as: UTF8.self)
    }

    private let pen = "\u{1b}[38;5;1;48;5;2m"

    @Test func eachRowBeginsWithTheCursor() {
        var update = CellUpdate()
        #expect(update.isEmpty)
        #expect(draw(&update, grid("abcdefgh")) == "\u{1b}[1;1H\(pen)abcd\u{1b}[2;1Hefgh")
        #expect(!update.isEmpty)
    }

    @Test func cellsAreMovedToTheirOrigin() {
        var update = CellUpdate()
        #expect(draw(&update, grid("abcd"), x: 10, y: 20).hasPrefix("\u{1b}[21;11H"))
    }

    @Test func nothingIsWrittenForTheSameCells() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcd"))
        #expect(draw(&update, grid("abcd")).isEmpty)
    }

    @Test func onlyChangedCellsAreWritten() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcdefgh"))
        #expect(draw(&update, grid("abXdefgh")) == "\u{1b}[1;3H\(pen)X")
    }

    @Test func neighboursNeedOneMoveOfTheCursor() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcdefgh"))
        #expect(draw(&update, grid("aXYdefgh")) == "\u{1b}[1;2H\(pen)XY")
    }

    @Test func forgottenCellsAreWrittenAgain() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcdefgh"))
        update.forget(PixelRect(x: 1, y: 1, width: 2, height: 9))
        #expect(draw(&update, grid("abcdefgh")) == "\u{1b}[2;2H\(pen)fg")
    }

    @Test func everythingIsWrittenAgainAfterForget() {
        var update = CellUpdate()
        let first = draw(&update, grid("abcdefgh"))
        update.forget()
        #expect(draw(&update, grid("abcdefgh")) == first)
    }

    @Test func anotherShapeIsWrittenWhole() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcdefgh"))
        #expect(draw(&update, grid("abcdefgh", columns: 2)).contains("\u{1b}[4;1Hgh"))
    }

    @Test func otherColoursAreWrittenWhole() {
        var update = CellUpdate()
        _ = draw(&update, grid("abcd"))
        #expect(draw(&update, grid("abcd", colours: .indexed16)).hasSuffix("abcd"))
    }

    @Test func theHoleIsLeftAsItIs() {
        var update = CellUpdate()
        let hole = PixelRect(x: 1, y: 0, width: 2, height: 1)
        #expect(draw(&update, grid("abcd"), leaving: hole) == "\u{1b}[1;1H\(pen)a\u{1b}[1;4Hd")
    }

    @Test func aWideCharacterCoversTheNextCell() {
        var update = CellUpdate()
        #expect(draw(&update, grid("日_ab")) == "\u{1b}[1;1H\(pen)日ab")
    }

    @Test func aWideCharacterAtTheHoleIsNotWritten() {
        var update = CellUpdate()
        let hole = PixelRect(x: 2, y: 0, width: 2, height: 1)
        #expect(draw(&update, grid("a日_b"), leaving: hole) == "\u{1b}[1;1H\(pen)a")
    }
}
