/// How pictures are drawn on a terminal.
package enum TerminalMode: String, Sendable, CaseIterable {
    /// Kitty graphics where the terminal said it has them and is near, symbols otherwise.
    ///
    /// Sixels only on request: encoding them costs more than ten times as much as symbols, and they cannot be scaled by
    /// the terminal.
    case automatic
    /// Coloured characters.
    case symbols
    case sixel
    case kitty
}
