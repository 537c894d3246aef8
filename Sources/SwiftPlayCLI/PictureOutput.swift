import SwiftPlayKit

/// The video output that `--vo` selects.
enum PictureOutput: Sendable, Equatable {
    case x11, null
    case terminal(PlayerWindow.TerminalGraphics)

    /// Creates an output from its name. It also accepts mpv's names for terminals: `tct`, `sixel` and `kitty`.
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
