import SharedFrames
import SystemCalls

/// The capabilities of a terminal: guessed from the environment, then corrected by the terminal's replies.
package struct TerminalCapabilities: Equatable, Sendable {
    /// The colour mode of the terminal: RGB, 256 or 16 colours.
    package var colours: TerminalColours
    /// Whether the terminal draws images of the kitty graphics protocol.
    package var hasKittyGraphics = false
    /// Whether the terminal draws sixel images.
    package var hasSixel = false
    /// The number of colours of a sixel image; nil if it is not known.
    package var sixelColourCount: Int?
    /// Whether sixel images can have the palette of ``SixelPalette/full``.
    var hasFullSixelPalette: Bool { (sixelColourCount ?? SixelPalette.fullCount) >= SixelPalette.fullCount }
    /// The maximum size of a sixel image in pixels; nil if it is not known.
    package var maximumSixelSize: PixelSize?
    /// Whether pictures are drawn with half blocks alone: the font has no quarter blocks, or the user has chosen half
    /// blocks.
    package private(set) var hasOnlyHalfBlocks: Bool
    /// The colour mode that the user has chosen; nil for the terminal's.
    private var chosenColours: TerminalColours?
    /// Whether a multiplexer runs between this program and the terminal.
    package let isMultiplexed: Bool
    /// The way in which images pass through the multiplexer; nil if they do not, or without a multiplexer.
    package var passthrough: TerminalPassthrough?
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
        hasOnlyHalfBlocks = isPlainConsole
        let isScreen = environment("STY") != nil
        isMultiplexed =
            environment("TMUX") != nil || isScreen || terminalType.hasPrefix("screen")
            || terminalType.hasPrefix("tmux")
        isRemote = environment("SSH_CONNECTION") != nil || environment("SSH_TTY") != nil
        if isScreen {
            // A shell in GNU screen inherits COLORTERM from the terminal outside, but screen itself has 256 colours.
            colours = .indexed256
        } else if colourSupport == "truecolor" || colourSupport == "24bit" || terminalType.hasSuffix("-direct")
            || ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm"].contains(where: terminalType.hasPrefix)
        {
            colours = .direct
        } else if terminalType.includes("256color") || isMultiplexed {
            colours = .indexed256
        } else {
            colours = .indexed16
        }
    }

    /// Updates the capabilities from a terminal's reply. Returns whether a capability changed.
    package mutating func handle(_ reply: TerminalReply) -> Bool {
        let oldCapabilities = self
        switch reply {
        // The attributes are those of tmux, also if the terminal outside draws the images.
        case .attributes(let attributes): if !isPassedThroughTmux { hasSixel = attributes.contains(4) }
        case .kittyGraphics(let isSupported): hasKittyGraphics = isSupported
        case .directColour(let isSupported): colours = isSupported ? .direct : .indexed256
        case .colourCount(let count):
            if count >= 1 << 24 {
                colours = .direct
            } else if count >= 256, colours == .indexed16 {
                colours = .indexed256
            }
        case .sixelColourCount(let count): sixelColourCount = count
        case .maximumSixelSize(let width, let height):
            maximumSixelSize = width > 0 && height > 0 ? PixelSize(width: width, height: height) : nil
            if isPassedThroughTmux { hasSixel = maximumSixelSize != nil }
        // TerminalSession uses the size of a cell; it is no capability.
        case .cellSize: break
        }
        colours = chosenColours ?? colours
        return self != oldCapabilities
    }

    /// Whether images pass through tmux.
    private var isPassedThroughTmux: Bool { passthrough?.multiplexer == .tmux }

    /// Draws pictures with half blocks in these colours, whatever the terminal replies.
    mutating func chooseHalfBlocks(_ colours: TerminalColours) {
        (self.colours, chosenColours, hasOnlyHalfBlocks) = (colours, colours, true)
    }

    /// Returns `mode`, or the mode that ``TerminalMode/automatic`` selects on this terminal.
    package func resolve(_ mode: TerminalMode) -> TerminalMode {
        switch mode {
        case .automatic: break
        case .halfBlocks, .halfBlocks256, .symbols: return .symbols
        // A multiplexer that draws sixels itself states this in its reply to the queries.
        case .sixel: return isMultiplexed && passthrough == nil && !hasSixel ? .symbols : .sixel
        case .kitty: return isMultiplexed && passthrough == nil ? .symbols : .kitty
        }
        // GNU screen does not remove an image when it shows another window.
        if isRemote || (isMultiplexed && passthrough?.multiplexer != .tmux) { return .symbols }
        return hasKittyGraphics ? .kitty : hasSixel ? .sixel : .symbols
    }

    /// Returns the maximum size in pixels of an image for a drawing mode; nil if there is no limit.
    func maximumImageSize(_ mode: TerminalMode, _ geometry: TerminalGeometry) -> PixelSize? {
        switch mode {
        case .sixel where isPassedThroughTmux:
            let size = geometry.pictureSize, pixelCount = max(1, size.width * size.height)
            let scale = min(1, (Double(TerminalPassthrough.tmuxSixelPixelCount) / Double(pixelCount)).squareRoot())
            let limit = PixelSize(
                width: max(1, Int(Double(size.width) * scale)), height: max(1, Int(Double(size.height) * scale)))
            guard let maximumSixelSize else { return limit }
            return PixelSize(
                width: min(limit.width, maximumSixelSize.width), height: min(limit.height, maximumSixelSize.height))
        case .sixel: return maximumSixelSize
        case .kitty where isPassedThroughTmux:
            return PixelSize(
                width: geometry.pictureSize.width, height: KittyPlaceholder.maximumRowCount * geometry.cellHeight)
        case .automatic, .symbols, .halfBlocks, .halfBlocks256, .kitty: return nil
        }
    }

    /// The queries for the terminal: 24-bit colours (XTGETTCAP, and DECRQSS after a colour was selected), cell size,
    /// sixel colours and size, kitty graphics, and last the device attributes, to which every terminal replies. Empty
    /// for terminals that would print queries as text.
    package var queries: String {
        if isDumb || isPlainConsole { return "" }
        // The names RGB, Tc and Co in hexadecimal digits, each in its own query: xterm stops at the first unknown name.
        let names = ["524742", "5463", "436f"].map { "\u{1b}P+q\($0)\u{1b}\\" }.joined()
        let rendition = "\u{1b}[48;2;1;2;3m\u{1b}P$qm\u{1b}\\\u{1b}[0m"
        let sixel = "\u{1b}[?1;1;0S\u{1b}[?2;1;0S"
        let graphics = isMultiplexed ? "" : Self.kittyQuery
        return names + rendition + "\u{1b}[16t" + sixel + graphics + "\u{1b}[c"
    }

    /// The query for kitty graphics.
    private static let kittyQuery = "\u{1b}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1b}\\"

    /// The queries that pass through tmux to the terminal outside; empty without tmux. Send them before the alternate
    /// screen is selected: tmux then redraws the pane, and discards control strings until the pane is redrawn.
    ///
    /// tmux keeps the reply about device attributes, and holds back the reply about the size of sixel images for its
    /// escape time (500 ms by default).
    package var passedQueries: [UInt8] {
        guard let passthrough, isPassedThroughTmux, !isDumb else { return [] }
        return passthrough.wrap(Array((Self.kittyQuery + "\u{1b}[?2;1;0S").utf8))
    }
}
