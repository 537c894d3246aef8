import Testing

@testable import VideoOutput

@Suite struct TerminalCapabilitiesTests {
    /// Returns the capabilities that the environment variables indicate.
    private func capabilities(_ environment: [String: String]) -> TerminalCapabilities {
        TerminalCapabilities { environment[$0] }
    }

    @Test func coloursFollowTheEnvironment() {
        #expect(capabilities(["TERM": "xterm-256color", "COLORTERM": "truecolor"]).colours == .direct)
        #expect(capabilities(["TERM": "xterm-256color"]).colours == .indexed256)
        #expect(capabilities(["TERM": "xterm-kitty"]).colours == .direct)
        #expect(capabilities(["TERM": "xterm"]).colours == .indexed16)
        #expect(capabilities(["TERM": "dumb"]).isDumb)
        #expect(capabilities([:]).isDumb)
        #expect(capabilities(["TERM": "linux"]).isPlainConsole)
    }

    @Test func kittyImagesNeedAReplyAndALocalTerminal() {
        var localTerminal = capabilities(["TERM": "xterm-256color"])
        #expect(localTerminal.resolve(.automatic) == .symbols)
        let hasChanged = [localTerminal.handle(.attributes([62, 4])), localTerminal.handle(.attributes([62, 4]))]
        #expect(hasChanged == [true, false])
        #expect(localTerminal.hasSixel)
        #expect(localTerminal.resolve(.automatic) == .sixel)
        _ = localTerminal.handle(.kittyGraphics(true))
        #expect(localTerminal.resolve(.automatic) == .kitty)
        for variables in [["TMUX": "x"], ["SSH_CONNECTION": "x"], ["STY": "x"]] {
            var remoteTerminal = capabilities(variables.merging(["TERM": "xterm-kitty"]) { $1 })
            _ = remoteTerminal.handle(.kittyGraphics(true))
            #expect(remoteTerminal.resolve(.automatic) == .symbols)
            #expect(remoteTerminal.resolve(.kitty) == (variables["SSH_CONNECTION"] == nil ? .symbols : .kitty))
        }
    }

    @Test func coloursFollowTheReplies() {
        var terminal = capabilities(["TERM": "xterm"])
        _ = terminal.handle(.colourCount(256))
        #expect(terminal.colours == .indexed256)
        _ = terminal.handle(.directColour(true))
        #expect(terminal.colours == .direct)
        _ = terminal.handle(.directColour(false))
        #expect(terminal.colours == .indexed256)
        #expect(capabilities(["TERM": "screen", "STY": "x", "COLORTERM": "truecolor"]).colours == .indexed256)
    }

    @Test func chosenHalfBlocksIgnoreTheReplies() {
        var terminal = capabilities(["TERM": "xterm"])
        terminal.chooseHalfBlocks(.direct)
        _ = terminal.handle(.directColour(false))
        #expect(terminal.colours == .direct && terminal.hasOnlyHalfBlocks)
        #expect(terminal.resolve(.halfBlocks) == .symbols)
    }

    @Test func queriesDependOnTheTerminalType() {
        #expect(capabilities(["TERM": "linux"]).queries.isEmpty)
        #expect(capabilities(["TERM": "xterm-256color"]).queries.hasSuffix("\u{1b}[c"))
        #expect(!capabilities(["TERM": "tmux-256color"]).queries.contains("_G"))
    }
}
