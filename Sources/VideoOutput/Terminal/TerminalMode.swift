/// The way pictures are drawn on a terminal.
package enum TerminalMode: String, Sendable, CaseIterable {
    /// Kitty graphics or sixels if the terminal supports them and is local, symbols otherwise.
    case automatic
    /// Coloured characters that approximate the picture.
    case symbols
    /// Half blocks in 24-bit colours, as mpv's `tct` draws them.
    case halfBlocks
    /// Half blocks in the palette of 256 colours, with dithering.
    case halfBlocks256
    /// Images in the sixel format.
    case sixel
    /// Images of the kitty graphics protocol.
    case kitty

    /// Whether pictures are drawn with characters.
    var drawsCharacters: Bool { [.symbols, .halfBlocks, .halfBlocks256].contains(self) }
}
