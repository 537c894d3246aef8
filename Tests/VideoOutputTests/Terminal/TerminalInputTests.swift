import Testing

@testable import VideoOutput

@Suite struct TerminalInputTests {
    /// Returns the names of the keys, and the descriptions of the replies, that the input `text` contains.
    private func keys(_ text: String) -> [String] {
        var input = TerminalInput()
        return (input.feed(Array(text.utf8)) + input.flush()).map {
            switch $0 {
            case .key(let name): name
            case .reply(let answer): "\(answer)"
            }
        }
    }

    @Test(arguments: [
        ("p", ["p"]), ("P", ["P"]), (" ", ["SPACE"]), ("\r", ["ENTER"]), ("\n", ["ENTER"]), ("\t", ["TAB"]),
        ("\u{7f}", ["BS"]),
        ("\u{08}", ["BS"]), ("#", ["SHARP"]), ("\u{0}", ["ctrl+SPACE"]), ("\u{01}", ["ctrl+a"]), ("\u{17}", ["ctrl+w"]),
        ("\u{1c}", ["ctrl+\\"]), ("abc", ["a", "b", "c"]), ("é", ["é"]), ("日", ["日"]), ("🎬", ["🎬"]),
        ("q日p", ["q", "日", "p"]),
    ]) func charactersAreParsed(_ text: String, _ expected: [String]) {
        #expect(keys(text) == expected)
    }

    @Test(arguments: [
        ("[A", "UP"), ("[B", "DOWN"), ("[C", "RIGHT"), ("[D", "LEFT"), ("[H", "HOME"), ("[F", "END"), ("[E", "KP5"),
        ("OA", "UP"), ("OB", "DOWN"), ("OC", "RIGHT"), ("OD", "LEFT"), ("OH", "HOME"), ("OF", "END"),
        ("OP", "F1"), ("OQ", "F2"), ("OR", "F3"), ("OS", "F4"), ("OM", "KP_ENTER"), ("Op", "KP0"), ("Oy", "KP9"),
        ("O5P", "ctrl+F1"),
        ("[1~", "HOME"), ("[2~", "INS"), ("[3~", "DEL"), ("[4~", "END"), ("[5~", "PGUP"), ("[6~", "PGDWN"),
        ("[7~", "HOME"), ("[8~", "END"),
        ("[11~", "F1"), ("[12~", "F2"), ("[13~", "F3"), ("[14~", "F4"), ("[15~", "F5"), ("[17~", "F6"), ("[18~", "F7"),
        ("[19~", "F8"),
        ("[20~", "F9"), ("[21~", "F10"), ("[23~", "F11"), ("[24~", "F12"), ("[25~", "F13"), ("[34~", "F20"),
        ("[[A", "F1"), ("[[E", "F5"), ("[Z", "Shift+TAB"),
        ("[1;2D", "Shift+LEFT"), ("[1;3D", "alt+LEFT"), ("[1;5D", "ctrl+LEFT"), ("[1;6C", "Shift+ctrl+RIGHT"),
        ("[1;7A", "ctrl+alt+UP"),
        ("[1;8A", "Shift+ctrl+alt+UP"), ("[1;9A", "meta+UP"), ("[1;1A", "UP"), ("[3;5~", "ctrl+DEL"),
        ("[1;5R", "ctrl+F3"), ("[1;2P", "Shift+F1"),
        ("[97;5u", "ctrl+a"), ("[13;2u", "Shift+ENTER"), ("[27u", "ESC"), ("[65;2u", "A"), ("[97:65;3u", "alt+a"),
        ("x", "alt+x"), ("é", "alt+é"), (" ", "alt+SPACE"), ("\u{01}", "ctrl+alt+a"), ("\u{7f}", "alt+BS"),
        ("\u{1b}[A", "alt+UP"), ("\u{1b}[1;5D", "ctrl+alt+LEFT"), ("\u{1b}OP", "alt+F1"),
        ("\u{1b}[1;2C", "Shift+alt+RIGHT"),
    ]) func escapeSequencesAreParsed(_ text: String, _ expected: String) {
        #expect(keys("\u{1b}" + text) == [expected])
        // A character that follows an escape sequence directly must not be lost.
        #expect(keys("\u{1b}" + text + "q") == [expected, "q"])
    }

    @Test(arguments: [
        "\u{1b}[1;5D", "\u{1b}OP", "\u{1b}[24~", "日", "🎬", "\u{1b}x", "\u{1b}é", "\u{1b}\u{1b}[A",
        "\u{1b}_Gi=31;OK\u{1b}\\", "\u{1b}[?62;4c",
        "\u{1b}]11;rgb:0/0/0\u{07}", "\u{1b}[6;20;10t",
    ]) func inputSplitIntoPiecesGivesTheSameResult(_ text: String) {
        var wholeInput = TerminalInput()
        let expected = wholeInput.feed(Array(text.utf8))
        #expect(!wholeInput.isPending)
        for firstPieceLength in 1..<text.utf8.count {
            var input = TerminalInput()
            let firstEvents = input.feed(text.utf8.prefix(firstPieceLength))
            #expect(firstEvents.isEmpty)
            #expect(input.isPending)
            #expect(input.feed(text.utf8.dropFirst(firstPieceLength)) == expected)
            #expect(!input.isPending)
        }
    }

    @Test func flushReportsALoneEscapeByteAsAKey() {
        var input = TerminalInput()
        #expect(input.feed([0x1b]).isEmpty)
        #expect(input.isPending)
        #expect(input.flush() == [.key("ESC")])
        #expect(!input.isPending)
        #expect(input.flush().isEmpty)
        #expect(keys("\u{1b}\u{1b}") == ["ESC", "ESC"])
        #expect(keys("\u{1b}\u{1b}x") == ["ESC", "alt+x"])
        #expect(keys("\u{1b}[") == ["alt+["])
        #expect(keys("\u{1b}O") == ["alt+O"])
        #expect(keys("\u{1b}]") == ["alt+]"])
        #expect(keys("\u{1b}[1;") == [])
    }

    @Test func repliesAreNotReportedAsKeys() {
        var input = TerminalInput()
        #expect(input.feed("\u{1b}[?62;4;22c".utf8) == [.reply(.attributes([62, 4, 22]))])
        #expect(input.feed("\u{1b}_Gi=31;OK\u{1b}\\".utf8) == [.reply(.kittyGraphics(true))])
        #expect(input.feed("\u{1b}_Gi=31;EINVAL:no\u{1b}\\".utf8) == [.reply(.kittyGraphics(false))])
        #expect(input.feed("\u{1b}[6;20;10t".utf8) == [.reply(.cellSize(width: 10, height: 20))])
        for text in [
            "\u{1b}[>41;360;0c", "\u{1b}[?2026;2$y", "\u{1b}[4;600;800t", "\u{1b}[24;80R", "\u{1b}P1+r\u{1b}\\",
            "\u{1b}]11;rgb:1/2/3\u{07}",
            "\u{1b}]10;x\u{1b}\\", "\u{1b}[I", "\u{1b}[O", "\u{1b}[<0;1;1M", "\u{1b}[M !!", "\u{1b}[200~",
            "\u{1b}^pm\u{1b}\\", "\u{1b}XSOS\u{1b}\\",
        ] {
            #expect(keys(text + "q") == ["q"], "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        ("\u{1b}P1$r0;48:2::1:2:3m\u{1b}\\", TerminalReply.directColour(true)),
        ("\u{1b}P1$r48;2;1;2;3m\u{1b}\\", .directColour(true)),
        ("\u{1b}P1$r0;48;5;16m\u{1b}\\", .directColour(false)),
        ("\u{1b}P1+r524742=382f382f38\u{1b}\\", .directColour(true)),
        ("\u{1b}P1+r5463\u{1b}\\", .directColour(true)),
        ("\u{1b}P1+r436f=323536\u{1b}\\", .colourCount(256)),
        ("\u{1b}[?1;0;256S", .sixelColourCount(256)),
        ("\u{1b}[?2;0;1000;800S", .maximumSixelSize(width: 1000, height: 800)),
    ]) func repliesAboutColoursAndSixelsAreParsed(_ text: String, _ expected: TerminalReply) {
        var input = TerminalInput()
        #expect(input.feed(text.utf8) == [.reply(expected)])
    }

    @Test(arguments: ["\u{1b}P0+r524742\u{1b}\\", "\u{1b}P0$r\u{1b}\\", "\u{1b}P1+rzz\u{1b}\\", "\u{1b}[?1;3S"])
    func rejectedQueriesGiveNoReplyAndNoKey(_ text: String) { #expect(keys(text + "q") == ["q"]) }

    @Test func theBeginningOfAReplyIsDistinguishedFromKeys() {
        for (text, isReply) in [
            ("\u{1b}", false), ("\u{1b}[", false), ("\u{1b}[1;5", false), ("\u{1b}P", false), ("\u{1b}[?6", true),
            ("\u{1b}P1", true), ("\u{1b}_G", true),
        ] {
            var input = TerminalInput()
            _ = input.feed(text.utf8)
            #expect(input.isReplyPending == isReply, "\(text.debugDescription)")
        }
    }

    @Test func keysAfterMalformedInputAreReported() {
        var input = TerminalInput()
        #expect(input.feed([0xff, 0x80, 0xc0, 0x71]) == [.key("q")])
        #expect(input.feed([0xe6, 0x97, 0x71]) == [.key("q")])
        #expect(input.feed([0xc2, 0x85]).isEmpty) // a C1 control
        #expect(input.feed("\u{1b}[12\u{1b}[A".utf8) == [.key("UP")])
        #expect(!input.isPending)
        // The input is an escape sequence with a number that is too long, and then control strings of more than 4096
        // bytes.
        #expect(input.feed(("\u{1b}[" + String(repeating: "9", count: 3000)).utf8).allSatisfy { $0 == .key("9") })
        _ = input.flush()
        #expect(input.feed(("\u{1b}]" + String(repeating: "x", count: 5000)).utf8).isEmpty)
        #expect(input.isPending)
        #expect(input.feed("\u{07}q".utf8) == [.key("q")])
        #expect(input.feed(("\u{1b}_" + String(repeating: "x", count: 5000) + "\u{1b}\\q").utf8) == [.key("q")])
        #expect(!input.isPending)
    }

    @Test func parsingOfEveryBytePairAfterEscapeTerminates() {
        var stuckPairs: [(UInt8, UInt8)] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                var input = TerminalInput()
                _ = input.feed([0x1b, first, second])
                _ = input.flush()
                if input.isPending || input.feed([0x71]) != [.key("q")] { stuckPairs.append((first, second)) }
            }
        }
        #expect(stuckPairs.isEmpty)
    }
}
