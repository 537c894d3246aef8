/// What a terminal can show: first guessed from the environment, then corrected by its answers. A pure value.
package struct TerminalAbilities: Equatable, Sendable {
    package var colours: TerminalColours
    package var hasKitty = false
    package var hasSixel = false
    /// A multiplexer stands between us and the terminal: images do not come through.
    package let isMultiplexed: Bool
    /// The terminal is at the other end of a network.
    package let isRemote: Bool
    /// The font has half blocks at most (the kernel's own console).
    package let isPlainConsole: Bool
    /// Cannot even place the cursor.
    package let isDumb: Bool

    /// - Parameter environment: the value of a variable, nil where it is not set.
    package init(environment: (String) -> String?) {
        let term = environment("TERM") ?? "", colorterm = environment("COLORTERM") ?? ""
        isDumb = term.isEmpty || term == "dumb"
        isPlainConsole = term == "linux"
        isMultiplexed =
            environment("TMUX") != nil || environment("STY") != nil || term.hasPrefix("screen")
            || term.hasPrefix("tmux")
        isRemote = environment("SSH_CONNECTION") != nil || environment("SSH_TTY") != nil
        if colorterm == "truecolor" || colorterm == "24bit" || term.hasSuffix("-direct")
            || ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm"].contains(where: term.hasPrefix)
        {
            colours = .direct
        } else if term.contains("256color") {
            colours = .indexed256
        } else {
            colours = .indexed16
        }
    }

    /// Takes an answer into account; true when it changed something.
    package mutating func learn(_ answer: TerminalAnswer) -> Bool {
        let before = self
        switch answer {
        case .attributes(let list): hasSixel = list.contains(4)
        case .kittyGraphics(let understood): hasKitty = understood
        case .cellSize: break // a matter of the geometry
        }
        return self != before
    }

    /// The mode that ``TerminalMode/automatic`` stands for; never automatic itself.
    package func resolve(_ mode: TerminalMode) -> TerminalMode {
        guard mode == .automatic else { return mode }
        return hasKitty && !isMultiplexed && !isRemote ? .kitty : .symbols
    }

    /// What to ask: the cell's size, kitty graphics, and device attributes last, which every terminal answers.
    /// Nothing where a question would be printed as rubbish.
    package var questions: String {
        if isDumb || isPlainConsole { return "" }
        let kitty = isMultiplexed ? "" : "\u{1b}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1b}\\"
        return "\u{1b}[16t" + kitty + "\u{1b}[c"
    }
}
