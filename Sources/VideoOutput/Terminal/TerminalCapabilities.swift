/// The capabilities of a terminal: guessed from the environment, then corrected by the terminal's replies.
package struct TerminalCapabilities: Equatable, Sendable {
    /// The colour mode of the terminal: RGB, 256 or 16 colours.
    package var colours: TerminalColours
    /// Whether the terminal draws images of the kitty graphics protocol.
    package var hasKittyGraphics = false
    /// Whether the terminal draws sixel images.
    package var hasSixel = false
    /// Whether a multiplexer runs between this program and the terminal. Images do not pass through it.
    package let isMultiplexed: Bool
    /// Whether the terminal is connected over a network.
    package let isRemote: Bool
    /// Whether the terminal is the Linux kernel's console, whose font has half blocks but no quarter blocks.
    package let isPlainConsole: Bool
    /// Whether the terminal cannot place its cursor.
    package let isDumb: Bool

    /// Guesses the capabilities. `environment` returns the value of a variable; nil if it is not set.
    package init(environment: (String) -> String?) {
        let terminalType = environment("TERM") ?? "", colourSupport = environment("COLORTERM") ?? ""
        isDumb = terminalType.isEmpty || terminalType == "dumb"
        isPlainConsole = terminalType == "linux"
        isMultiplexed =
            environment("TMUX") != nil || environment("STY") != nil || terminalType.hasPrefix("screen")
            || terminalType.hasPrefix("tmux")
        isRemote = environment("SSH_CONNECTION") != nil || environment("SSH_TTY") != nil
        if colourSupport == "truecolor" || colourSupport == "24bit" || terminalType.hasSuffix("-direct")
            || ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm"].contains(where: terminalType.hasPrefix)
        {
            colours = .direct
        } else if terminalType.contains("256color") {
            colours = .indexed256
        } else {
            colours = .indexed16
        }
    }

    /// Updates the capabilities from a terminal's reply. Returns whether a capability changed.
    package mutating func handle(_ reply: TerminalReply) -> Bool {
        let oldCapabilities = self
        switch reply {
        case .attributes(let attributes): hasSixel = attributes.contains(4)
        case .kittyGraphics(let isSupported): hasKittyGraphics = isSupported
        case .cellSize: break // concerns the geometry only
        }
        return self != oldCapabilities
    }

    /// Returns `mode`, or the mode that ``TerminalMode/automatic`` selects on this terminal.
    package func resolve(_ mode: TerminalMode) -> TerminalMode {
        guard mode == .automatic else { return mode }
        return hasKittyGraphics && !isMultiplexed && !isRemote ? .kitty : .symbols
    }

    /// The queries for the terminal: cell size, kitty graphics, and last the device attributes, to which every terminal
    /// replies. Empty for terminals that would print queries as text.
    package var queries: String {
        if isDumb || isPlainConsole { return "" }
        let kitty = isMultiplexed ? "" : "\u{1b}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1b}\\"
        return "\u{1b}[16t" + kitty + "\u{1b}[c"
    }
}
