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
        var plain = capabilities(["TERM": "xterm-256color"])
        #expect(plain.resolve(.automatic) == .symbols)
        let isNew = [plain.handle(.attributes([62, 4])), plain.handle(.attributes([62, 4]))]
        #expect(isNew == [true, false])
        #expect(plain.hasSixel)
        #expect(plain.resolve(.automatic) == .symbols)
        _ = plain.handle(.kittyGraphics(true))
        #expect(plain.resolve(.automatic) == .kitty)
        for extra in [["TMUX": "x"], ["SSH_CONNECTION": "x"], ["STY": "x"]] {
            var far = capabilities(extra.merging(["TERM": "xterm-kitty"]) { $1 })
            _ = far.handle(.kittyGraphics(true))
            #expect(far.resolve(.automatic) == .symbols)
            #expect(far.resolve(.kitty) == .kitty)
        }
    }

    @Test func queriesDependOnTheTerminalType() {
        #expect(capabilities(["TERM": "linux"]).queries.isEmpty)
        #expect(capabilities(["TERM": "xterm-256color"]).queries.hasSuffix("\u{1b}[c"))
        #expect(!capabilities(["TERM": "tmux-256color"]).queries.contains("_G"))
    }
}
