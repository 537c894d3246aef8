import SharedFrames
import TestSupport
import Testing

@testable import VideoOutput

/// The two who draw on one terminal, looked at as a terminal would.
@Suite struct TerminalPatchTests {
    private let geometry = TerminalGeometry(columns: 60, rows: 21)
    private let cells = PixelRect(x: 30, y: 10, width: 28, height: 8)

    private func place(_ generation: UInt32 = 0) throws -> TerminalPlace {
        try #require(TerminalPlace(cells: cells, cellWidth: 10, cellHeight: 20, generation: generation))
    }

    private func painted(_ patch: TerminalPatch, _ frame: VideoFrame, in place: TerminalPlace) throws -> CellGrid {
        try #require(frame.withPicture { patch.paint($0, frame.format, in: place) })
    }

    private func placeholder(_ text: String) -> TerminalContent {
        var grid = CellGrid(columns: 60, rows: 20, colours: .direct)
        grid.centre(text, above: cells)
        return .cells(grid)
    }

    @Test func thePatchDrawsItsCellsAndNoOthers() throws {
        let patch = TerminalPatch(colours: .direct, halvesOnly: false)
        var model = TerminalModel(columns: 60, rows: 21)
        for seed in 1...5 {
            model.write(
                patch.draw(try painted(patch, try makeFrame(seed: UInt32(seed)), in: try place()), in: try place()))
        }
        #expect(model.guestArea == Window.Area(x: 30, y: 10, width: 28, height: 8))
        #expect(model.ownerCells.isEmpty && model.faults == [])
    }

    @Test func whatStandsThereIsNotDrawnAgainUnlessItWasLost() throws {
        let patch = TerminalPatch(colours: .direct, halvesOnly: false)
        let grid = try painted(patch, try makeFrame(seed: 3), in: try place())
        let first = patch.draw(grid, in: try place())
        #expect(first.count > 1000)
        #expect(patch.draw(grid, in: try place()).isEmpty)
        #expect(patch.draw(grid, in: try place(1)) == first)
        patch.forget()
        #expect(patch.draw(grid, in: try place(1)) == first)
    }

    @Test(arguments: [TerminalColours.direct, .indexed256, .indexed16])
    func cursorAndColoursStayAsTheyWere(_ colours: TerminalColours) throws {
        let patch = TerminalPatch(colours: colours, halvesOnly: true)
        let text = String(
            decoding: patch.draw(try painted(patch, try makeFrame(), in: try place()), in: try place()), as: UTF8.self)
        #expect(text.hasPrefix("\u{1b}7\u{1b}[?2026h") && text.hasSuffix("\u{1b}[0m\u{1b}[?2026l\u{1b}8"))
    }

    @Test func theOwnerDrawsAroundTheOther() throws {
        let patch = TerminalPatch(colours: .direct, halvesOnly: false)
        var screen = TerminalScreen(geometry: geometry), model = TerminalModel(columns: 60, rows: 21)
        model.write(screen.draw(placeholder(""), message: "before"))
        screen.leave(cells)
        model.write(screen.draw(placeholder("elsewhere"), message: "m"))
        model.write(patch.draw(try painted(patch, try makeFrame(), in: try place()), in: try place()))
        // All of it is lost: a change of size. And other contents, another message, contents that do not fit.
        screen.invalidate(geometry)
        model.write(
            screen.draw(placeholder("somewhere else, in a text so long that it would reach far into it"), message: ""))
        model.write(patch.draw(try painted(patch, try makeFrame(seed: 2), in: try place(1)), in: try place(1)))
        screen.invalidate(geometry)
        model.write(screen.draw(.cells(CellGrid(columns: 10, rows: 10, colours: .direct)), message: "n"))
        model.write(patch.draw(try painted(patch, try makeFrame(seed: 3), in: try place(2)), in: try place(2)))
        #expect(model.guestCells.count == 28 * 8)
        #expect(model.ownerCells.count == 60 * 21 - 28 * 8)
        #expect(model.sharedCells == 0)
        #expect(model.faults == [])
    }

    @Test func takenBackAllOfItIsDrawnAndWhatWasCutEnds() throws {
        var screen = TerminalScreen(geometry: geometry), model = TerminalModel(columns: 60, rows: 21)
        model.write(screen.draw(placeholder("a"), message: ""))
        screen.leave(cells)
        model.write(screen.draw(placeholder("a"), message: ""))
        let patch = TerminalPatch(colours: .direct, halvesOnly: false)
        let whole = patch.draw(try painted(patch, try makeFrame(), in: try place()), in: try place())
        // It died in the middle of a sequence.
        let cut = try #require(whole.indices.dropFirst(whole.count / 2).first { whole[$0] == 0x5b })
        model.write(whole[...cut])
        screen.leave(nil)
        let back = screen.draw(placeholder("a"), message: "")
        #expect(back.starts(with: [0x18, 0x1b, 0x5c]))
        model.write(back)
        #expect(model.faults == [])
        for y in 10..<18 { for x in 30..<58 { #expect(model[x, y].scalar == " " && model[x, y].background == 0) } }
        #expect(screen.draw(placeholder("a"), message: "").isEmpty)
    }

    @Test func aWideCharacterDoesNotReachIntoIt() {
        var screen = TerminalScreen(geometry: geometry), model = TerminalModel(columns: 60, rows: 21)
        var grid = CellGrid(columns: 60, rows: 20, colours: .direct)
        (grid[29, 12].scalar, grid[30, 12].scalar) = (0x65e5, 0)
        screen.leave(cells)
        let bytes = screen.draw(.cells(grid), message: "")
        model.write(bytes)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("\u{65e5}"))
    }

    @Test func anImageGivesWay() {
        var screen = TerminalScreen(geometry: geometry)
        let image = TerminalImage(
            bytes: Array("\u{1b}_Gx\u{1b}\\".utf8), cells: PixelRect(x: 2, y: 1, width: 50, height: 18),
            geometry: geometry, isKitty: true)
        _ = screen.draw(.image(image), message: "m")
        screen.leave(cells)
        let text = String(decoding: screen.draw(.image(image), message: "m"), as: UTF8.self)
        #expect(text.contains("_Ga=d,d=A") && !text.contains("_Gx") && !text.contains("[2J"))
    }
}
