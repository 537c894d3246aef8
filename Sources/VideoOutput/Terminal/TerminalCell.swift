/// One character cell: what stands in it and in which colours.
package struct TerminalCell: Equatable, Sendable {
    /// Of a colour: the terminal's own.
    package static let defaultColour: UInt32 = .max

    package var scalar: UInt32
    /// `0xRRGGBB` or an index, as the terminal's ``TerminalColours`` has it.
    package var foreground: UInt32
    package var background: UInt32

    package init(scalar: UInt32, foreground: UInt32, background: UInt32) {
        self.scalar = scalar
        self.foreground = foreground
        self.background = background
    }

    /// Black in every kind of colour (index 0 and 0x000000 alike; 256 colours use the cube's own black).
    package static func blank(_ colours: TerminalColours) -> TerminalCell {
        let black: UInt32 = colours == .indexed256 ? 16 : 0
        return TerminalCell(scalar: 32, foreground: black, background: black)
    }
}
