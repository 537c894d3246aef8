import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct TerminalScreenTests {
    private let geometry = TerminalGeometry(columns: 40, rows: 11)

    /// Returns a grid of coloured cells.
    private func grid(_ colour: UInt32 = 0x80_4020) -> CellGrid {
        var grid = CellGrid(columns: 40, rows: 10, colours: .direct)
        for index in grid.cells.indices {
            grid.cells[index] = TerminalCell(
                scalar: 0x2580, foreground: colour &+ UInt32(index) * 0x010305 & 0xffffff,
                background: UInt32(index) * 0x50)
        }
        return grid
    }

    /// Returns the bytes that draw `content` and `message` on a terminal.
    private func drawnBytes(_ screen: inout TerminalScreen, _ content: TerminalContent, message: String) -> [UInt8] {
        screen.draw(content, message: message)
    }

    @Test func unchangedPictureIsNotWrittenAgain() {
        var screen = TerminalScreen(geometry: geometry)
        #expect(drawnBytes(&screen, .cells(grid()), message: "").count > 1000)
        #expect(drawnBytes(&screen, .cells(grid()), message: "").isEmpty)
        #expect(drawnBytes(&screen, .cells(grid()), message: "").isEmpty)
    }

    @Test func oneChangedCellWritesOnlyThatCell() {
        var screen = TerminalScreen(geometry: geometry)
        _ = screen.draw(.cells(grid()), message: "")
        var changedGrid = grid()
        changedGrid[7, 3] = TerminalCell(scalar: 0x2588, foreground: 0xff0000, background: 0x00ff00)
        let text = String(decoding: screen.draw(.cells(changedGrid), message: ""), as: UTF8.self)
        #expect(text == "\u{1b}[?2026h\u{1b}[4;8H\u{1b}[38;2;255;0;0;48;2;0;255;0m\u{2588}\u{1b}[?2026l")
    }

    @Test func smallColourDifferencesAreNotWritten() {
        var screen = TerminalScreen(geometry: geometry)
        var uniformGrid = CellGrid(columns: 40, rows: 10, colours: .direct)
        _ = screen.draw(.cells(uniformGrid), message: "")
        for index in uniformGrid.cells.indices { uniformGrid.cells[index].background = 0x020202 }
        #expect(drawnBytes(&screen, .cells(uniformGrid), message: "").isEmpty)
        // Small colour differences must not accumulate: the comparison uses the colours that the terminal shows.
        for index in uniformGrid.cells.indices { uniformGrid.cells[index].background = 0x040404 }
        #expect(!drawnBytes(&screen, .cells(uniformGrid), message: "").isEmpty)
    }

    @Test func messageIsDrawnOnceWithoutControlCharacters() {
        var screen = TerminalScreen(geometry: geometry)
        _ = screen.draw(.cells(grid()), message: "")
        let text = String(decoding: screen.draw(.cells(grid()), message: "0:12\u{1b}[31m"), as: UTF8.self)
        #expect(text == "\u{1b}[?2026h\u{1b}[11;1H\u{1b}[0m\u{1b}[2K0:12[31m\u{1b}[?2026l")
        #expect(drawnBytes(&screen, .cells(grid()), message: "0:12\u{1b}[31m").isEmpty)
    }

    @Test func invalidateRedrawsEverything() {
        var screen = TerminalScreen(geometry: geometry)
        let firstOutput = screen.draw(.cells(grid()), message: "m")
        screen.invalidate(geometry)
        #expect(screen.draw(.cells(grid()), message: "m") == firstOutput)
        // After a change of the terminal size, a picture of the old size is not drawn.
        screen.invalidate(TerminalGeometry(columns: 50, rows: 11))
        #expect(drawnBytes(&screen, .cells(grid()), message: "").count < 60)
    }

    @Test func imagesAndCellsReplaceEachOther() {
        var screen = TerminalScreen(geometry: geometry)
        let cells = PixelRect(x: 2, y: 1, width: 30, height: 8)
        let image = TerminalImage(
            bytes: Array("\u{1b}_Gx\u{1b}\\".utf8), cells: cells, geometry: geometry, isKitty: true)
        _ = screen.draw(.cells(grid()), message: "m")
        let text = String(decoding: screen.draw(.image(image), message: "m"), as: UTF8.self)
        #expect(text.contains("\u{1b}[2J\u{1b}[2;3H\u{1b}_Gx\u{1b}\\"))
        #expect(text.contains("\u{1b}[2Km"))
        #expect(drawnBytes(&screen, .image(image), message: "m").isEmpty)
        let cellOutput = String(decoding: screen.draw(.cells(grid()), message: "m"), as: UTF8.self)
        #expect(cellOutput.contains("_Ga=d,d=A"))
        #expect(cellOutput.count > 1000)
    }

    @Test func placeholderTextIsCentred() {
        var grid = CellGrid(columns: 11, rows: 3, colours: .direct)
        grid.writeCentred("日x\u{1b}")
        #expect(grid[4, 1].scalar == 0x65e5 && grid[5, 1].scalar == 0 && grid[6, 1].scalar == 0x78)
        var screen = TerminalScreen(geometry: TerminalGeometry(columns: 11, rows: 4))
        #expect(String(decoding: screen.draw(.cells(grid), message: ""), as: UTF8.self).contains("日"))
        var singleCell = CellGrid(columns: 1, rows: 1, colours: .direct)
        singleCell.writeCentred("long text")
        #expect(singleCell == CellGrid(columns: 1, rows: 1, colours: .direct))
    }
}
