import SwiftPlayKit

/// The messages about a video output that cannot be opened, with what the user can do.
enum VideoOutputFailure {
    /// Returns the message for the user.
    ///
    /// - Parameters:
    ///   - reason: The reason that the library states.
    ///   - output: The chosen video output.
    ///   - isTerminal: Whether standard output is a terminal.
    ///   - isDumb: Whether `TERM` names a terminal that cannot place its cursor.
    static func message(
        _ reason: String, output: VideoOutputOption, isTerminal: Bool, isDumb: Bool = false
    ) -> String {
        switch output {
        case .x11: displayMessage(reason)
        case .terminal(let graphics) where !isTerminal:
            "--vo=\(name(of: graphics)) needs a terminal on standard output; use --vo=null"
        case .terminal(let graphics) where isDumb:
            "--vo=\(name(of: graphics)) needs a terminal that can place its cursor; check TERM, or use --vo=null"
        case .terminal, .null: reason
        }
    }

    /// Returns the value of `--vo` that selects a kind of graphics.
    private static func name(of graphics: PlayerWindow.TerminalGraphics) -> String {
        switch graphics {
        case .automatic, .symbols: "terminal"
        case .halfBlocks, .halfBlocks256: "tct"
        case .sixel: "sixel"
        case .kitty: "kitty"
        }
    }

    /// Returns the message about a display that cannot be used: the reason that the library states, and if there is no
    /// connection, the options without a display.
    static func displayMessage(_ reason: String) -> String {
        guard reason.hasPrefix("cannot connect to the X display") else { return reason }
        return reason + "; check DISPLAY, or use --vo=terminal or --vo=null"
    }
}
