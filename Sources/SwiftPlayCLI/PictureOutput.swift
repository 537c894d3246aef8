import SwiftPlayKit

/// `--vo`.
enum PictureOutput: Sendable, Equatable {
    case x11, null
    case terminal(PlayerWindow.TerminalGraphics)

    /// mpv's names for terminals are understood too.
    init?(parsing text: String) {
        switch text {
        case "x11": self = .x11
        case "null": self = .null
        case "terminal": self = .terminal(.automatic)
        case "tct": self = .terminal(.symbols)
        case "sixel": self = .terminal(.sixel)
        case "kitty": self = .terminal(.kitty)
        default: return nil
        }
    }
}
