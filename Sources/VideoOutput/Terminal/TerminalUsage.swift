/// The purpose for which a ``TerminalSession`` uses its terminal.
package enum TerminalUsage: Sendable, Equatable {
    /// Pictures fill the terminal, and keys are read.
    case pictures
    /// The terminal keeps its contents, and lines of text are added to them.
    ///
    /// - readsKeys: Whether keys are read, so that the terminal's modes change.
    /// - drawsStatus: Whether a status line is drawn, which needs control sequences.
    case console(readsKeys: Bool, drawsStatus: Bool)

    /// Whether keys are read.
    var readsKeys: Bool {
        switch self {
        case .pictures: true
        case .console(let readsKeys, _): readsKeys
        }
    }

    /// Whether lines of text are added to the terminal's contents.
    var isConsole: Bool { self != .pictures }

    /// The escape sequences for pictures: they save the title, select the alternate screen, hide the cursor and turn
    /// line wrapping off. Empty for a console.
    var enterSequence: StaticString {
        isConsole ? "" : "\u{1b}[22;0t\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[0m\u{1b}[2J"
    }

    /// The escape sequences that restore the terminal. After pictures, in this order: end of an interrupted sequence,
    /// end of a synchronised update, default colours, line wrapping, cursor, normal screen, title. A console removes
    /// its status line.
    var leaveSequence: StaticString {
        switch self {
        case .pictures:
            "\u{18}\u{1b}\\\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l\u{1b}[23;0t"
        case .console(_, drawsStatus: true): "\u{18}\u{1b}[0m\r\u{1b}[J"
        case .console: ""
        }
    }
}
