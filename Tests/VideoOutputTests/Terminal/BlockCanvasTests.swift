import Testing

@testable import VideoOutput

@Suite struct BlockCanvasTests {
    /// Returns the terminal cell that represents a block of pixels.
    private func cell(_ pixels: [UInt32], colours: TerminalColours = .direct, hasOnlyHalfBlocks: Bool = false)
        -> TerminalCell
    {
        var grid = CellGrid(columns: 1, rows: 1, colours: colours)
        pixels.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            BlockCanvas(hasOnlyHalfBlocks: hasOnlyHalfBlocks).draw(base, x: 0, y: 0, width: 1, height: 1, into: &grid)
        }
        return grid[0, 0]
    }

    @Test(arguments: [
        (0b0000, 0x20), (0b0001, 0x2598), (0b0010, 0x259d), (0b0011, 0x2580), (0b0100, 0x2596), (0b0101, 0x258c),
        (0b0110, 0x259e), (0b0111, 0x259b),
    ]) func eachDivisionOfSamplesHasItsBlockCharacter(_ mask: Int, _ symbol: Int) {
        let foreground: UInt32 = 0xffe0_1020, background: UInt32 = 0x0010_20e0
        let pixels = (0..<4).map { mask >> $0 & 1 == 1 ? foreground : background }
        let drawnCell = cell(pixels)
        #expect(drawnCell.scalar == UInt32(symbol))
        #expect(drawnCell.background == 0x1020e0)
        if mask != 0 { #expect(drawnCell.foreground == 0xe01020) }
        // A picture with the two colours swapped has the same block element.
        let swappedCell = cell(pixels.map { $0 == foreground ? background : foreground })
        #expect(swappedCell.scalar == UInt32(symbol) && swappedCell.background == 0xe01020)
    }

    @Test func aCellOfSimilarColoursHasOneColour() {
        #expect(
            cell([0x808080, 0x818181, 0x828282, 0x808080])
                == TerminalCell(scalar: 32, foreground: 0x818181, background: 0x818181))
    }

    @Test func halfBlockModeUsesNoQuarterBlocks() {
        #expect(cell([0xffffff, 0, 0, 0], hasOnlyHalfBlocks: true).scalar == 0x2580)
        #expect(cell([0xffffff, 0, 0xffffff, 0], hasOnlyHalfBlocks: true).scalar == 0x20)
    }

    @Test(arguments: [(0, 16), (0xffffff, 231), (0xff0000, 196), (0x5f87af, 67), (0x808080, 244), (0x121212, 233)])
    func coloursAreMappedToThe256ColourPalette(_ rgb: UInt32, _ index: UInt32) {
        #expect(Palette256.nearest(red: rgb >> 16 & 255, green: rgb >> 8 & 255, blue: rgb & 255) == index)
        #expect(cell([rgb, rgb, rgb, rgb], colours: .indexed256).background == index)
    }
}
