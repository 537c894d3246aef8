import Testing

@testable import VideoOutput

@Suite struct TerminalTextWidthTests {
    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("я", 1), ("日", 2), ("ア", 2), ("한", 2), ("！", 2), ("🎬", 2), ("🚀", 2), ("▀", 1),
            ("\u{301}", 0), ("\u{200d}", 0),
            ("\u{20dd}", 0),
        ] as [(Unicode.Scalar, Int)])
    func widthOfAScalarIsItsNumberOfColumns(_ scalar: Unicode.Scalar, _ width: Int) {
        #expect(TerminalText.width(of: scalar) == width)
    }

    /// Returns the part of `text` that fits in `columns` columns of a terminal.
    private func fittingText(_ text: String, _ columns: Int) -> String {
        String(String.UnicodeScalarView(TerminalText.fitting(text, columns: columns).flatMap(\.scalars)))
    }

    @Test func aWideCharacterWithoutRoomIsLeftOut() {
        #expect(fittingText("ab日", 3) == "ab" && fittingText("ab日", 4) == "ab日")
    }

    @Test func combiningMarksStayWithTheirCharacter() {
        #expect(fittingText("e\u{301}e\u{301}x", 2) == "e\u{301}e\u{301}")
    }

    @Test func aLoneCombiningMarkIsDropped() {
        #expect(TerminalText.fitting("\u{301}", columns: 5).isEmpty)
    }

    @Test func aFamilyEmojiTakesTwoColumns() {
        let family = TerminalText.fitting("👨‍👩‍👧‍👦x", columns: 3)
        #expect(family.map(\.width) == [2, 1])
    }

    @Test func combiningMarksPerCharacterAreLimited() throws {
        let text = "a" + String(repeating: "\u{301}", count: 1000)
        #expect(try #require(TerminalText.fitting(text, columns: 1).first).scalars.count == 8)
    }

    @Test(arguments: [0, -1, -1000]) func zeroOrNegativeColumnsGiveNoText(_ columns: Int) {
        #expect(TerminalText.fitting("abc", columns: columns).isEmpty)
    }

    @Test func lineBreaksBecomeSpaces() {
        #expect(TerminalText.sanitised("a\nb\tc\r\u{2028}d") == "a b c  d")
    }

    @Test func directionMarksAndPrivateUseCharactersAreRemoved() {
        #expect(TerminalText.sanitised("a\u{202e}b\u{200f}c\u{feff}d\u{e000}e\u{9b}f") == "abcdef")
    }
}

@Suite struct TerminalModeTests {
    /// Returns the capabilities of a terminal with the given environment. `supportsKitty`: whether the terminal replies
    /// that it supports kitty images.
    private func capabilities(_ environment: [String: String], supportsKitty: Bool) -> TerminalCapabilities {
        var capabilities = TerminalCapabilities { environment[$0] }
        _ = capabilities.handle(.kittyGraphics(supportsKitty))
        return capabilities
    }

    @Test(arguments: [TerminalMode.symbols, .sixel, .kitty]) func anExplicitModeIsUsed(_ mode: TerminalMode) {
        #expect(capabilities(["TERM": "dumb"], supportsKitty: false).resolve(mode) == mode)
    }

    @Test func automaticModeIsKittyIfTheTerminalSupportsIt() {
        #expect(capabilities(["TERM": "xterm-kitty"], supportsKitty: true).resolve(.automatic) == .kitty)
        #expect(capabilities(["TERM": "xterm-kitty"], supportsKitty: false).resolve(.automatic) == .symbols)
    }

    @Test(arguments: [
        ["TMUX": "/tmp/x"], ["STY": "1"], ["SSH_TTY": "/dev/pts/1"], ["SSH_CONNECTION": "x"], ["TERM": "screen"],
        ["TERM": "tmux-256color"],
    ])
    func automaticModeIsSymbolsBehindAMultiplexerOrANetwork(_ environment: [String: String]) {
        let kittyCapabilities = capabilities(["TERM": "xterm-kitty"].merging(environment) { $1 }, supportsKitty: true)
        #expect(kittyCapabilities.resolve(.automatic) == .symbols)
    }

    @Test func handleReturnsWhetherAReplyChangesTheCapabilities() {
        var xtermCapabilities = capabilities(["TERM": "xterm"], supportsKitty: true)
        let replies: [TerminalReply] = [
            .kittyGraphics(true), .attributes([62, 4]), .attributes([4]), .attributes([62]),
            .cellSize(width: 8, height: 16),
        ]
        var changes: [Bool] = []
        for reply in replies { changes.append(xtermCapabilities.handle(reply)) }
        #expect(changes == [false, true, false, true, false] && !xtermCapabilities.hasSixel)
    }

    @Test(arguments: ["linux", "dumb", ""]) func linuxConsoleAndDumbTerminalsReceiveNoQueries(_ term: String) {
        #expect(capabilities(["TERM": term], supportsKitty: false).queries.isEmpty)
    }
}
