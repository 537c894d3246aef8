/// What a terminal said when it was asked.
package enum TerminalAnswer: Sendable, Equatable {
    /// Primary device attributes (`CSI ? … c`): 4 among them means sixels.
    case attributes([Int])
    /// Whether the kitty graphics query was understood.
    case kittyGraphics(Bool)
    /// The size of one cell in pixels.
    case cellSize(width: Int, height: Int)
}
