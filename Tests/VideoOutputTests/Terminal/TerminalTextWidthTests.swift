import Testing

@testable import VideoOutput

@Suite struct TerminalTextWidthTests {
    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("я", 1), ("日", 2), ("ア", 2), ("한", 2), ("！", 2), ("🎬", 2), ("🚀", 2), ("▀", 1),
            ("\u{301}", 0), ("\u{200d}", 0),
            ("\u{20dd}", 0),
        ] as [(Unicode.Scalar, Int)])
    func aScalarHasItsColumns(_ scalar: Unicode.Scalar, _ width: Int) {
        #expect(TerminalText.width(of: scalar) == width)
    }

    private func fitting(_ text: String, _ columns: Int) -> String {
        String(String.UnicodeScalarView(TerminalText.fitting(text, columns: columns).flatMap(\.scalars)))
    }

    @Test func aWideCharacterThatHasHalfItsRoomIsLeftOut() {
        #expect(fitting("ab日", 3) == "ab" && fitting("ab日", 4) == "ab日")
    }

    @Test func marksBelongToTheirLetter() {
        #expect(fitting("e\u{301}e\u{301}x", 2) == "e\u{301}e\u{301}")
    }

    @Test func aMarkAloneTakesNoColumn() {
        #expect(TerminalText.fitting("\u{301}", columns: 5).isEmpty)
    }

    @Test func aFamilyIsOneCharacterOfTwoColumns() {
        let family = TerminalText.fitting("👨‍👩‍👧‍👦x", columns: 3)
        #expect(family.map(\.width) == [2, 1])
    }

    @Test func aHeapOfMarksIsCut() throws {
        let heap = "a" + String(repeating: "\u{301}", count: 1000)
        #expect(try #require(TerminalText.fitting(heap, columns: 1).first).scalars.count == 8)
    }

    @Test(arguments: [0, -1, -1000]) func withoutColumnsThereIsNothing(_ columns: Int) {
        #expect(TerminalText.fitting("abc", columns: columns).isEmpty)
    }

    @Test func lineBreaksAreSpaces() {
        #expect(TerminalText.sanitised("a\nb\tc\r\u{2028}d") == "a b c  d")
    }

    @Test func directionMarksAndPrivateLettersAreTakenOut() {
        #expect(TerminalText.sanitised("a\u{202e}b\u{200f}c\u{feff}d\u{e000}e\u{9b}f") == "abcdef")
    }
}

@Suite struct TerminalModeTests {
    private func abilities(_ environment: [String: String], kitty: Bool) -> TerminalAbilities {
        var abilities = TerminalAbilities { environment[$0] }
        _ = abilities.learn(.kittyGraphics(kitty))
        return abilities
    }

    @Test(arguments: [TerminalMode.symbols, .sixel, .kitty]) func aModeThatIsAskedForIsTaken(_ mode: TerminalMode) {
        #expect(abilities(["TERM": "dumb"], kitty: false).resolve(mode) == mode)
    }

    @Test func automaticIsKittyWhereImagesComeThrough() {
        #expect(abilities(["TERM": "xterm-kitty"], kitty: true).resolve(.automatic) == .kitty)
        #expect(abilities(["TERM": "xterm-kitty"], kitty: false).resolve(.automatic) == .symbols)
    }

    @Test(arguments: [
        ["TMUX": "/tmp/x"], ["STY": "1"], ["SSH_TTY": "/dev/pts/1"], ["SSH_CONNECTION": "x"], ["TERM": "screen"],
        ["TERM": "tmux-256color"],
    ])
    func automaticIsSymbolsBehindAMultiplexerOrANetwork(_ environment: [String: String]) {
        #expect(
            abilities(["TERM": "xterm-kitty"].merging(environment) { $1 }, kitty: true).resolve(.automatic) == .symbols)
    }

    @Test func anAnswerThatChangesNothingSaysSo() {
        var abilities = abilities(["TERM": "xterm"], kitty: true)
        let answers: [TerminalAnswer] = [
            .kittyGraphics(true), .attributes([62, 4]), .attributes([4]), .attributes([62]),
            .cellSize(width: 8, height: 16),
        ]
        var changes: [Bool] = []
        for answer in answers { changes.append(abilities.learn(answer)) }
        #expect(changes == [false, true, false, true, false] && !abilities.hasSixel)
    }

    @Test(arguments: ["linux", "dumb", ""]) func aPlainTerminalIsAskedNothing(_ term: String) {
        #expect(abilities(["TERM": term], kitty: false).questions.isEmpty)
    }
}
