import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

@Suite struct TerminalPassthroughTests {
    @Test func tmuxStringsDoubleEachEscape() {
        let tmux = TerminalPassthrough(multiplexer: .tmux)
        #expect(tmux.wrap(Array("\u{1b}[cx".utf8)) == Array("\u{1b}Ptmux;\u{1b}\u{1b}[cx\u{1b}\\".utf8))
        let plainBytes = [UInt8](repeating: 65, count: 300_000)
        #expect(tmux.wrap(plainBytes) == Array("\u{1b}Ptmux;".utf8) + plainBytes + [0x1b, 0x5c])
    }

    /// tmux writes sequences of its own between two control strings.
    @Test func noSequenceIsDividedAmongStringsOfTmux() {
        let tmux = TerminalPassthrough(multiplexer: .tmux)
        func sequence(_ length: Int) -> [UInt8] {
            Array("\u{1b}_G".utf8) + Array(repeating: 65, count: length) + [27, 92]
        }
        let wrapped = tmux.wrap(sequence(600_000) + sequence(300_000) + sequence(200_000))
        let strings = String(decoding: wrapped, as: UTF8.self).split(separator: "\u{1b}Ptmux;")
        #expect(strings.map { $0.utf8.count } == [900_000 + 2 * 7 + 2, 200_000 + 7 + 2])
        #expect(strings.allSatisfy { $0.hasSuffix("A\u{1b}\u{1b}\\\u{1b}\\") })
        #expect(tmux.wrap(sequence(400_000) + sequence(1_000_000)).isEmpty)
    }

    @Test func sixelImagesThroughTmuxAreLimited() throws {
        var terminal = TerminalCapabilities { ["TERM": "tmux-256color", "TMUX": "x"][$0] }
        terminal.passthrough = TerminalPassthrough(multiplexer: .tmux)
        func limit(_ columns: Int, _ rows: Int) -> PixelSize? {
            terminal.maximumImageSize(.sixel, TerminalGeometry(columns: columns, rows: rows))
        }
        let size = try #require(limit(400, 100))
        #expect(590_000...600_000 ~= size.width * size.height)
        #expect(abs(size.width * 1980 - size.height * 4000) < 8000)
        _ = terminal.handle(.maximumSixelSize(width: 1000, height: 1000))
        #expect(limit(400, 100) == PixelSize(width: 1000, height: size.height))
    }

    @Test func screenStringsAreShortAndDoNotContainTheirOwnEnd() {
        let screen = TerminalPassthrough(multiplexer: .screen)
        let bytes = Array("\u{1b}_Gm=0;".utf8) + [UInt8](repeating: 65, count: 2000) + Array("\u{1b}\\".utf8)
        let wrapped = screen.wrap(bytes)
        var passedOn: [UInt8] = [], rest = wrapped[...]
        while !rest.isEmpty {
            #expect(rest.starts(with: [0x1b, 0x50]))
            // GNU Screen passes on all bytes before the first `ESC \\`, of several Escapes all but the last.
            let end = rest.indices.dropFirst(2).first { rest[$0] == 0x1b && rest[$0 + 1] == 0x5c } ?? rest.endIndex
            #expect(end - rest.startIndex + 2 <= 768)
            passedOn += rest[(rest.startIndex + 2)..<end]
            rest = rest[(end + 2)...]
        }
        #expect(passedOn == bytes)
    }

    @Test(arguments: [
        ("1,0,0,on,bottom\n", 0, 0), ("on,51,3,off,top\n", 51, 3), ("all,0,0,on,top\n", 0, 1), (",2,1,3,top\n", 2, 4),
    ])
    func tmuxReportsThePositionOfThePane(_ text: String, _ x: Int, _ y: Int) {
        #expect(TerminalPassthrough(tmuxValues: text) == TerminalPassthrough(multiplexer: .tmux, x: x, y: y))
    }

    @Test(arguments: ["0,0,0,on,bottom", "off,0,0,on,bottom", "1,-1,0,on,bottom", "1,0,99999,on,bottom", "", "1,0"])
    func tmuxWithoutPassthroughAndMalformedValuesAreRefused(_ text: String) {
        #expect(TerminalPassthrough(tmuxValues: text) == nil)
    }

    @Test func withoutAMultiplexerNothingIsPassedThrough() {
        #expect(TerminalPassthrough.detect { _ in nil } == nil)
        #expect(TerminalPassthrough.detect { $0 == "STY" ? "1.pts" : nil }?.multiplexer == .screen)
    }

    @Test func queriesAndModesFollowThePassthrough() {
        var terminal = TerminalCapabilities { ["TERM": "tmux-256color", "TMUX": "x"][$0] }
        #expect(terminal.resolve(.kitty) == .symbols && terminal.resolve(.sixel) == .symbols)
        #expect(!terminal.queries.contains("_Gi=31") && terminal.passedQueries.isEmpty)
        terminal.passthrough = TerminalPassthrough(multiplexer: .tmux)
        let queries = String(decoding: terminal.passedQueries, as: UTF8.self)
        #expect(queries.hasPrefix("\u{1b}Ptmux;\u{1b}\u{1b}_Gi=31") && queries.hasSuffix("S\u{1b}\\"))
        #expect(terminal.queries.hasSuffix("\u{1b}[c") && !terminal.queries.contains("_Gi=31"))
        #expect(terminal.resolve(.kitty) == .kitty && terminal.resolve(.automatic) == .symbols)
        _ = terminal.handle(.attributes([62, 4]))
        #expect(terminal.resolve(.automatic) == .symbols, "tmux has replied for itself")
        _ = terminal.handle(.maximumSixelSize(width: 1000, height: 1000))
        #expect(terminal.resolve(.automatic) == .sixel)
        _ = terminal.handle(.kittyGraphics(true))
        #expect(terminal.resolve(.automatic) == .kitty)
        terminal.passthrough = TerminalPassthrough(multiplexer: .screen)
        #expect(terminal.resolve(.automatic) == .symbols && terminal.resolve(.sixel) == .sixel)
        let style = TerminalPictureStyle(terminal, mode: .kitty)
        #expect(style.mode == .kitty && style.passthrough == terminal.passthrough && style.imageNumber == 2)
        let characters = TerminalPictureStyle(terminal, mode: .automatic)
        #expect(characters.mode == .symbols && characters.passthrough == nil)
        terminal.passthrough = TerminalPassthrough(multiplexer: .tmux)
        let imageNumber = TerminalPictureStyle(terminal, mode: .kitty).imageNumber
        #expect(16...255 ~= imageNumber && imageNumber != KittyImageEncoder.placeholderImageNumber)
    }
}
