import Testing

@testable import VideoOutput

@Suite struct OrderedDitherTests {
    /// Returns the cells of a picture in one colour.
    private func cells(_ pixel: UInt32, _ colours: TerminalColours) -> [TerminalCell] {
        var grid = CellGrid(columns: 8, rows: 8, colours: colours)
        [UInt32](repeating: pixel, count: 16 * 16).withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            BlockCanvas(hasOnlyHalfBlocks: false).draw(base, x: 0, y: 0, width: 8, height: 8, into: &grid)
        }
        return grid.cells
    }

    @Test func eachThresholdOccursOnce() {
        #expect(Set(OrderedDither.thresholds) == Set(0..<64))
        let offsets = OrderedDither.thresholds.map { OrderedDither.offset($0, amplitude: 40) }
        #expect(offsets.reduce(0, +) == 0 && offsets.allSatisfy { (-20...20).contains($0) })
    }

    @Test(arguments: [TerminalColours.indexed256, .indexed16])
    func aStillPictureGivesTheSameCells(_ colours: TerminalColours) {
        #expect(cells(0x734b9b, colours) == cells(0x734b9b, colours))
    }

    @Test func aColourBetweenTwoColoursOfThePaletteIsMixed() {
        // 0x73 lies in the middle between 0x5f and 0x87, the steps 1 and 2 of the colour cube.
        let colours = Set(cells(0x730000, .indexed256).flatMap { [$0.foreground, $0.background] })
        #expect(colours == [52, 88])
    }

    @Test func coloursOfThePaletteStayUnmixed() {
        for (index, colour) in Palette16.colours.enumerated() {
            let used = Set(cells(colour, .indexed16).flatMap { [$0.foreground, $0.background] })
            #expect(used == [UInt32(index)], "\(index)")
        }
        #expect(Set(cells(0x5f87af, .indexed256).map(\.background)) == [67])
    }
}
