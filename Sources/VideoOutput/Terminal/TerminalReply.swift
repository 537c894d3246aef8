/// A terminal's reply to a query.
package enum TerminalReply: Sendable, Equatable {
    /// The primary device attributes (`CSI ? … c`); the number 4 among them means that the terminal supports sixels.
    case attributes([Int])
    /// Whether the terminal supports kitty graphics.
    case kittyGraphics(Bool)
    /// The size of one cell in pixels.
    case cellSize(width: Int, height: Int)
}
