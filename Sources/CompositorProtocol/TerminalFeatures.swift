/// The properties of a terminal that determine how pictures are drawn in it.
package struct TerminalFeatures: Equatable, Sendable {
    /// The colours of a terminal: 16, a palette of 256, or 24-bit.
    package enum Colours: UInt8, Sendable {
        /// 16 colours.
        case sixteen = 1
        /// A palette of 256 colours.
        case palette = 2
        /// 24-bit colours.
        case direct = 3
    }

    /// The terminal's colours.
    package var colours: Colours
    /// Whether the font has half blocks but no finer block characters.
    package var hasOnlyHalfBlocks: Bool
    /// Creates a description of a terminal's properties.
    package init(colours: Colours, hasOnlyHalfBlocks: Bool) {
        self.colours = colours
        self.hasOnlyHalfBlocks = hasOnlyHalfBlocks
    }
}
