import Testing

@testable import VideoOutput

@Suite struct TerminalAbilitiesTests {
    private func abilities(_ environment: [String: String]) -> TerminalAbilities {
        TerminalAbilities { environment[$0] }
    }

    @Test func coloursFollowTheEnvironment() {
        #expect(abilities(["TERM": "xterm-256color", "COLORTERM": "truecolor"]).colours == .direct)
        #expect(abilities(["TERM": "xterm-256color"]).colours == .indexed256)
        #expect(abilities(["TERM": "xterm-kitty"]).colours == .direct)
        #expect(abilities(["TERM": "xterm"]).colours == .indexed16)
        #expect(abilities(["TERM": "dumb"]).isDumb)
        #expect(abilities([:]).isDumb)
        #expect(abilities(["TERM": "linux"]).isPlainConsole)
    }

    @Test func imagesNeedAnAnswerAndADirectWay() {
        var plain = abilities(["TERM": "xterm-256color"])
        #expect(plain.resolve(.automatic) == .symbols)
        let isNew = [plain.learn(.attributes([62, 4])), plain.learn(.attributes([62, 4]))]
        #expect(isNew == [true, false])
        #expect(plain.hasSixel)
        #expect(plain.resolve(.automatic) == .symbols)
        _ = plain.learn(.kittyGraphics(true))
        #expect(plain.resolve(.automatic) == .kitty)
        for extra in [["TMUX": "x"], ["SSH_CONNECTION": "x"], ["STY": "x"]] {
            var far = abilities(extra.merging(["TERM": "xterm-kitty"]) { $1 })
            _ = far.learn(.kittyGraphics(true))
            #expect(far.resolve(.automatic) == .symbols)
            #expect(far.resolve(.kitty) == .kitty)
        }
    }

    @Test func questionsAreAskedWhereTheyDoNoHarm() {
        #expect(abilities(["TERM": "linux"]).questions.isEmpty)
        #expect(abilities(["TERM": "xterm-256color"]).questions.hasSuffix("\u{1b}[c"))
        #expect(!abilities(["TERM": "tmux-256color"]).questions.contains("_G"))
    }
}
