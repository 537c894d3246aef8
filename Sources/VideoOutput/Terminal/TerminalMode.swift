/// The way pictures are drawn on a terminal.
package enum TerminalMode: String, Sendable, CaseIterable {
    /// Kitty graphics if the terminal supports them and is local, symbols otherwise.
    ///
    /// Sixels must be requested explicitly: encoding them takes more than ten times as long as symbols, and the
    /// terminal cannot scale them.
    case automatic
    /// Coloured characters that approximate the picture.
    case symbols
    /// Images in the sixel format.
    case sixel
    /// Images of the kitty graphics protocol.
    case kitty
}
