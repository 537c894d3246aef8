import ArgumentParser

/// The command line options for the terminal of the program. Names and meanings are mpv's.
struct TerminalOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Write messages and a status line, and read keys from the terminal.")
    var terminal = true

    @Flag(inversion: .prefixedNo, help: "Read keys from the terminal.")
    var inputTerminal = true

    @Option(
        help: ArgumentHelp(
            "Text of the status line, with properties such as ${time-pos} and escapes such as \\e[1m.",
            valueName: "text"))
    var termStatusMsg: String?

    @Flag(inversion: .prefixedNo, help: "Show no status line.")
    var quiet = false

    @Flag(inversion: .prefixedNo, help: "Write no messages and no status line.")
    var reallyQuiet = false

    @Flag(name: .customShort("v"), help: "Log more; -vv logs most.")
    var verbosity: Int

    @Option(
        help: ArgumentHelp(
            """
            Log levels, such as all=warn,player=debug: no, fatal, error, warn, info, status, debug, trace. \
            Default: all=warn, with the status line.
            """,
            valueName: "levels"))
    var msgLevel: String?

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        if let termStatusMsg, EscapedText.unescaped(termStatusMsg) == nil {
            throw ValidationError("--term-status-msg: after a backslash, use n, r, t, b, e, x41, u00e9, \" or \\.")
        }
        if let msgLevel, LogLevels(parsing: msgLevel) == nil {
            throw ValidationError("--msg-level=\(msgLevel) is not valid; use all=warn or player=debug.")
        }
    }

    /// The settings that the options describe. The options must be valid.
    var settings: TerminalSettings {
        TerminalSettings(
            isUsed: terminal, readsKeys: inputTerminal,
            showsStatusLine: !quiet && !reallyQuiet && logLevels.showsStatusLine,
            statusText: termStatusMsg.flatMap(EscapedText.unescaped), isSilent: reallyQuiet || !terminal)
    }

    /// The log levels of `--msg-level` and `-v`. The options must be valid.
    var logLevels: LogLevels {
        var levels = msgLevel.flatMap(LogLevels.init(parsing:)) ?? LogLevels()
        if verbosity > 0 { levels.setDefault(verbosity == 1 ? .debug : .trace) }
        return levels
    }
}

/// The settings for the terminal of the program, as the command line sets them.
struct TerminalSettings: Sendable, Equatable {
    /// Whether the terminal is used, for keys or for text.
    var isUsed = true
    var readsKeys = true
    var showsStatusLine = true
    /// The text of the status line, in which `${…}` stands for properties; nil for the standard text.
    var statusText: String?
    /// Whether no messages are written.
    var isSilent = false
}
