import SwiftPlayKit

/// The video output that `--vo` selects.
enum VideoOutputOption: Sendable, Equatable {
    /// `x11`: a window of the X server. `null`: no video output.
    case x11, null
    /// The terminal; the value is the kind of graphics with which it draws pictures.
    case terminal(PlayerWindow.TerminalGraphics)

    /// Creates a video output from the value of `--vo`; nil for an unknown name. Also accepts mpv's names for
    /// terminals: `tct`, `sixel` and `kitty`.
    ///
    /// - Parameter uses256Colours: Whether `tct` draws in 256 colours instead of 24-bit colours.
    init?(parsing text: String, uses256Colours: Bool = false) {
        switch text {
        case "x11": self = .x11
        case "null": self = .null
        case "terminal": self = .terminal(.automatic)
        case "tct": self = .terminal(uses256Colours ? .halfBlocks256 : .halfBlocks)
        case "sixel": self = .terminal(.sixel)
        case "kitty": self = .terminal(.kitty)
        default: return nil
        }
    }
}
