import SharedFrames
import TestSupport
import Testing

@testable import VideoOutput

/// Tests of two programs that draw on one terminal: the player, and the compositor, which draws a Picture-in-Picture
/// video in a rectangle of cells (the region). A model of the terminal's screen checks the result.
@Suite struct TerminalRegionRendererTests {
    private let geometry = TerminalGeometry(columns: 60, rows: 21)
    /// The rectangle of terminal cells in which the compositor draws.
    private let cells = PixelRect(x: 30, y: 10, width: 28, height: 8)

    /// Returns the part of the terminal in which the compositor draws: the cells and the size of a cell in pixels. A
    /// higher `generation` means that all cells must be redrawn.
    private func region(_ generation: UInt32 = 0) throws -> TerminalRegion {
        try #require(TerminalRegion(cells: cells, cellWidth: 10, cellHeight: 20, generation: generation))
    }

    /// Returns the content that the compositor draws for a frame.
    private func painted(_ renderer: TerminalRegionRenderer, _ frame: VideoFrame, in region: TerminalRegion) throws
        -> TerminalRegionRenderer.Content
    {
        try #require(frame.withPicture { renderer.paint($0, frame.format, in: region) })
    }

    /// Returns the content of a player that shows `text` instead of its picture.
    private func placeholder(_ text: String) -> TerminalContent {
        var grid = CellGrid(columns: 60, rows: 20, colours: .direct)
        grid.writeCentred(text, above: cells)
        return .cells(grid)
    }

    @Test func theCompositorDrawsOnlyTheCellsOfItsRegion() throws {
        let renderer = TerminalRegionRenderer(colours: .direct, hasOnlyHalfBlocks: false)
        var model = TerminalModel(columns: 60, rows: 21)
        for seed in 1...5 {
            model.write(
                renderer.draw(
                    try painted(renderer, try makeFrame(seed: UInt32(seed)), in: try region()), in: try region()))
        }
        #expect(model.compositorArea == Window.Area(x: 30, y: 10, width: 28, height: 8))
        #expect(model.playerCells.isEmpty && model.faults == [])
    }

    @Test func unchangedCellsAreRedrawnOnlyForANewGenerationOrAfterInvalidating() throws {
        let renderer = TerminalRegionRenderer(colours: .direct, hasOnlyHalfBlocks: false)
        let grid = try painted(renderer, try makeFrame(seed: 3), in: try region())
        let firstOutput = renderer.draw(grid, in: try region())
        #expect(firstOutput.count > 1000)
        #expect(renderer.draw(grid, in: try region()).isEmpty)
        #expect(renderer.draw(grid, in: try region(1)) == firstOutput)
        renderer.invalidate()
        #expect(renderer.draw(grid, in: try region(1)) == firstOutput)
    }

    @Test(arguments: [TerminalColours.direct, .indexed256, .indexed16])
    func theRendererRestoresCursorAndColours(_ colours: TerminalColours) throws {
        let renderer = TerminalRegionRenderer(colours: colours, hasOnlyHalfBlocks: true)
        let text = String(
            decoding: renderer.draw(try painted(renderer, try makeFrame(), in: try region()), in: try region()),
            as: UTF8.self)
        #expect(text.hasPrefix("\u{1b}7\u{1b}[?2026h") && text.hasSuffix("\u{1b}[0m\u{1b}[?2026l\u{1b}8"))
    }

    @Test func thePlayerDrawsAroundTheCompositorsRegion() throws {
        let renderer = TerminalRegionRenderer(colours: .direct, hasOnlyHalfBlocks: false)
        var screen = TerminalScreen(geometry: geometry), model = TerminalModel(columns: 60, rows: 21)
        model.write(screen.draw(placeholder(""), message: "before"))
        screen.exclude(cells)
        model.write(screen.draw(placeholder("elsewhere"), message: "m"))
        model.write(renderer.draw(try painted(renderer, try makeFrame(), in: try region()), in: try region()))
        // A change of the terminal size invalidates the whole screen. The player then draws another text and another
        // message, and a grid of the wrong size.
        screen.invalidate(geometry)
        model.write(
            screen.draw(placeholder("somewhere else, in a text so long that it would reach far into it"), message: ""))
        model.write(
            renderer.draw(try painted(renderer, try makeFrame(seed: 2), in: try region(1)), in: try region(1)))
        screen.invalidate(geometry)
        model.write(screen.draw(.cells(CellGrid(columns: 10, rows: 10, colours: .direct)), message: "n"))
        model.write(
            renderer.draw(try painted(renderer, try makeFrame(seed: 3), in: try region(2)), in: try region(2)))
        #expect(model.compositorCells.count == 28 * 8)
        #expect(model.playerCells.count == 60 * 21 - 28 * 8)
        #expect(model.sharedCellCount == 0)
        #expect(model.faults == [])
    }

    @Test func takingTheRegionBackCancelsATruncatedSequenceAndRedraws() throws {
        var screen = TerminalScreen(geometry: geometry), model = TerminalModel(columns: 60, rows: 21)
        model.write(screen.draw(placeholder("a"), message: ""))
        screen.exclude(cells)
        model.write(screen.draw(placeholder("a"), message: ""))
        let renderer = TerminalRegionRenderer(colours: .direct, hasOnlyHalfBlocks: false)
        let compositorBytes = renderer.draw(
            try painted(renderer, try makeFrame(), in: try region()), in: try region())
        // The compositor exits while it writes an escape sequence.
        let secondHalf = compositorBytes.indices.dropFirst(compositorBytes.count / 2)
        let lastWrittenIndex = try #require(secondHalf.first { compositorBytes[$0] == 0x5b })
        model.write(compositorBytes[...lastWrittenIndex])
        screen.exclude(nil)
        let redrawBytes = screen.draw(placeholder("a"), message: "")
        #expect(redrawBytes.starts(with: [0x18, 0x1b, 0x5c]))
        model.write(redrawBytes)
        #expect(model.faults == [])
        for y in 10..<18 { for x in 30..<58 { #expect(model[x, y].scalar == " " && model[x, y].background == 0) } }
        #expect(screen.draw(placeholder("a"), message: "").isEmpty)
    }

    @Test func aWideCharacterDoesNotReachIntoTheRegion() {
        var screen = TerminalScreen(geometry: geometry), model = TerminalModel(columns: 60, rows: 21)
        var grid = CellGrid(columns: 60, rows: 20, colours: .direct)
        (grid[29, 12].scalar, grid[30, 12].scalar) = (0x65e5, 0)
        screen.exclude(cells)
        let bytes = screen.draw(.cells(grid), message: "")
        model.write(bytes)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("\u{65e5}"))
    }

    @Test func thePlayerRemovesItsKittyImageForTheRegion() {
        var screen = TerminalScreen(geometry: geometry)
        let image = TerminalImage(
            bytes: Array("\u{1b}_Gx\u{1b}\\".utf8), cells: PixelRect(x: 2, y: 1, width: 50, height: 18),
            geometry: geometry, isKitty: true)
        _ = screen.draw(.image(image), message: "m")
        screen.exclude(cells)
        let text = String(decoding: screen.draw(.image(image), message: "m"), as: UTF8.self)
        #expect(text.contains("_Ga=d,d=A") && !text.contains("_Gx") && !text.contains("[2J"))
    }

    @Test(arguments: [TerminalMode.sixel, .kitty])
    func theRendererDrawsImagesInARegionWithAGraphicsProtocol(_ mode: TerminalMode) throws {
        var style = TerminalPictureStyle(colours: .direct, hasOnlyHalfBlocks: false)
        style.mode = mode
        let region = try #require(
            TerminalRegion(cells: cells, cellWidth: 10, cellHeight: 20, controlRows: 1, style: style))
        let renderer = TerminalRegionRenderer(colours: .indexed16, hasOnlyHalfBlocks: true)
        let start = mode == .sixel ? "\u{1b}[11;32H\u{1b}P0;1;0q" : "\u{1b}[11;32H\u{1b}_Ga=T,f=24,i=2,p=1"
        var model = TerminalModel(columns: 60, rows: 21)
        let content = try painted(renderer, try makeFrame(), in: region)
        let bytes = renderer.draw(content, in: region)
        model.write(bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(start), "the image starts at its first cell")
        #expect(text.hasPrefix("\u{1b}7") && text.hasSuffix("\u{1b}8"))
        #expect(model.compositorArea == Window.Area(x: 30, y: 10, width: 28, height: 8) && model.faults == [])
        #expect(renderer.draw(content, in: region).isEmpty)
        // The cells beside the image are drawn only once.
        let nextText = String(
            decoding: renderer.draw(try painted(renderer, try makeFrame(seed: 2), in: region), in: region),
            as: UTF8.self)
        #expect(nextText.contains(start) && !nextText.contains("\u{1b}[11;31H"))
    }

    @Test(
        "an image in a region reaches the terminal behind a multiplexer",
        arguments: [TerminalMode.sixel, .kitty], [TerminalPassthrough.Multiplexer.tmux, .screen])
    func imagesPassThroughAMultiplexer(_ mode: TerminalMode, _ multiplexer: TerminalPassthrough.Multiplexer) throws {
        var style = TerminalPictureStyle(colours: .direct, hasOnlyHalfBlocks: false)
        let passthrough = TerminalPassthrough(multiplexer: multiplexer, x: 7, y: 3)
        (style.mode, style.passthrough, style.imageNumber) = (mode, passthrough, 77)
        let region = try #require(
            TerminalRegion(cells: cells, cellWidth: 10, cellHeight: 20, controlRows: 1, style: style))
        let renderer = TerminalRegionRenderer(colours: .indexed16, hasOnlyHalfBlocks: true)
        func update(seed: UInt32) throws -> String {
            let content = try painted(renderer, try makeFrame(seed: seed), in: region)
            return String(decoding: renderer.draw(content, in: region), as: UTF8.self)
        }
        let texts = try [update(seed: 1), update(seed: 2)]
        let hasPlaceholders = mode == .kitty && multiplexer == .tmux
        for text in texts {
            // Without placeholders, the position counts from the corner of the terminal: 31 + 7 columns, 10 + 3 rows.
            let start =
                hasPlaceholders
                ? "\u{1b}_Ga=T,f=24,i=77,U=1" : mode == .sixel ? "\u{1b}P0;1;0q" : "\u{1b}_Ga=T,f=24,i=77,p=1"
            let sequence = (hasPlaceholders ? "" : "\u{1b}7\u{1b}[14;39H") + start
            let wrappedSequence = String(decoding: passthrough.wrap(Array(sequence.utf8)).dropLast(2), as: UTF8.self)
            #expect(text.contains(wrappedSequence), "\(text.prefix(300))")
        }
        #expect(texts.map { $0.contains("\u{10eeee}") } == [hasPlaceholders, false])
        #expect(!hasPlaceholders || texts[0].contains("\u{1b}[11;32H\u{1b}[38;5;77m"))
        var screen = TerminalScreen(geometry: geometry)
        screen.exclude(cells, style: style)
        let deletion = mode == .kitty ? passthrough.wrap(Array("\u{1b}_Ga=d,d=I,i=77,q=2\u{1b}\\".utf8)) : []
        #expect(screen.passedImageDeletion == deletion)
        screen.exclude(nil)
        #expect(screen.passedImageDeletion == [])
        let redraw = String(decoding: screen.draw(nil, message: ""), as: UTF8.self)
        #expect(redraw.contains(String(decoding: deletion, as: UTF8.self)) || deletion.isEmpty)
    }

    @Test func theLastRowShowsTheStateOfThePlayback() throws {
        let style = TerminalPictureStyle(colours: .direct, hasOnlyHalfBlocks: false)
        let region = try #require(
            TerminalRegion(cells: cells, cellWidth: 10, cellHeight: 20, controlRows: 1, style: style))
        let renderer = TerminalRegionRenderer(colours: .direct, hasOnlyHalfBlocks: false)
        let frame = try makeFrame()
        var model = TerminalModel(columns: 60, rows: 21)
        for (state, time) in [(TerminalControls.State.playing, "0:10"), (.paused, "0:20")] {
            let controls = TerminalControls(state: state, time: time, duration: "1:40", playedFraction: 0.5)
            let overlay = TerminalRegionRenderer.Overlay(text: "Words\u{1b}[31m") { _, _, _ in }
            let content = try #require(
                frame.withPicture {
                    renderer.paint($0, frame.format, overlay: overlay, controls: controls, in: region)
                })
            model.write(renderer.draw(content, in: region))
            let lines = model.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines[17].contains("\(time) ━━━━━━━─────── 1:40"), "\(lines[17])")
            #expect(lines[15].contains("Words[31m"), "\(lines[15])")
        }
        #expect(model.faults == [])
    }

    @Test func thePlayerDeletesTheKittyImageOfTheRegion() {
        var screen = TerminalScreen(geometry: geometry)
        var style = TerminalPictureStyle(colours: .direct, hasOnlyHalfBlocks: false)
        style.mode = .kitty
        screen.exclude(cells, style: style)
        _ = screen.draw(placeholder("a"), message: "")
        screen.exclude(nil)
        let text = String(decoding: screen.draw(placeholder("a"), message: ""), as: UTF8.self)
        #expect(text.hasPrefix("\u{18}\u{1b}\\\u{1b}_Ga=d,d=I,i=2,q=2\u{1b}\\"))
        #expect(screen.draw(placeholder("a"), message: "").isEmpty)
    }
}
