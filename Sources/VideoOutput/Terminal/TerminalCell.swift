/// A character cell of a terminal: its Unicode scalar and colours.
package struct TerminalCell: Equatable, Sendable {
    /// The colour value that selects the terminal's default colour.
    package static let defaultColour: UInt32 = .max

    /// The Unicode scalar; 0 for the right half of a wide character.
    package var scalar: UInt32
    /// `0xRRGGBB` or a palette index, depending on ``TerminalColours``.
    package var foreground: UInt32
    /// The colour behind the scalar, in the same form as ``foreground``.
    package var background: UInt32

    package init(scalar: UInt32, foreground: UInt32, background: UInt32) {
        self.scalar = scalar
        self.foreground = foreground
        self.background = background
    }

    /// Returns a space on black: 0x000000, index 0 of 16 colours, or the black of the cube in 256 colours.
    package static func blank(_ colours: TerminalColours) -> TerminalCell {
        let black: UInt32 = colours == .indexed256 ? 16 : 0
        return TerminalCell(scalar: 32, foreground: black, background: black)
    }
}
