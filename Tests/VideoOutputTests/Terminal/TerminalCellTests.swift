import Testing

@testable import VideoOutput

@Suite struct TerminalCellTests {
    @Test("A blank cell is a black space in every kind of colours", arguments: [TerminalColours.direct, .indexed16])
    func blankCellIsABlackSpace(_ colours: TerminalColours) {
        #expect(TerminalCell.blank(colours) == TerminalCell(scalar: 32, foreground: 0, background: 0))
    }

    @Test("A blank cell of 256 colours uses the black of the colour cube, which themes do not change")
    func blankCellUsesTheBlackOfTheColourCube() {
        #expect(TerminalCell.blank(.indexed256) == TerminalCell(scalar: 32, foreground: 16, background: 16))
    }

    @Test("The terminal's own colour is no RGB colour and no index")
    func defaultColourIsNeitherRGBNorAnIndex() {
        #expect(TerminalCell.defaultColour > 0xFF_FFFF)
    }
}
