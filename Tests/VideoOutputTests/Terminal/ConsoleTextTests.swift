import Testing

@testable import VideoOutput

@Suite struct ConsoleTextTests {
    /// Returns the bytes of an update as text.
    private func update(
        _ text: inout ConsoleText, lines: [String] = [], status: String, columns: Int = 80, mustRedraw: Bool = false
    ) -> String {
        String(
            decoding: text.update(lines: lines, status: status, columns: columns, mustRedraw: mustRedraw),
            as: UTF8.self)
    }

    @Test func aStatusLineIsDrawnInPlaceAndOnlyWhenItChanges() {
        var text = ConsoleText()
        #expect(update(&text, status: "one") == "\rone\u{1b}[J\r")
        #expect(update(&text, status: "one") == "")
        #expect(update(&text, status: "one", mustRedraw: true) == "\rone\u{1b}[J\r")
        #expect(update(&text, status: "two") == "\rtwo\u{1b}[J\r")
        #expect(update(&text, status: "") == "\r\u{1b}[J")
    }

    @Test func linesStandAboveTheStatusLine() {
        var text = ConsoleText()
        #expect(update(&text, lines: ["a", "b"], status: "s") == "a\nb\n\rs\u{1b}[J\r")
        #expect(update(&text, lines: ["c"], status: "s") == "\r\u{1b}[Jc\n\rs\u{1b}[J\r")
        #expect(update(&text, lines: ["d"], status: "") == "\r\u{1b}[Jd\n")
    }

    @Test func linesWithoutAStatusLineContainNoControlSequences() {
        var text = ConsoleText()
        #expect(update(&text, lines: ["a"], status: "") == "a\n")
        _ = update(&text, status: "s")
        text.invalidate()
        #expect(update(&text, lines: ["b"], status: "") == "b\n")
    }

    @Test func theStatusLineLeavesTheLastColumnFree() {
        var text = ConsoleText()
        #expect(update(&text, status: "12345", columns: 5) == "\r1234\u{1b}[J\r")
        #expect(update(&text, status: "日本語", columns: 5) == "\r日本\u{1b}[J\r")
        #expect(update(&text, status: "abc", columns: 0) == "\r\u{1b}[J")
    }

    @Test(arguments: [
        ("\u{1b}[1mab\u{1b}[0mcd", 3, "\u{1b}[1mab\u{1b}[0mc\u{1b}[0m"), ("ab\ncd\u{7}e", 9, "ab cde"),
        ("\u{1b}[2Jx", 9, "[2Jx"), ("\u{1b}]0;title", 9, "]0;title"), ("\u{1b}[31", 9, "[31"),
        ("日\u{1b}[1mab", 1, "\u{1b}[1m\u{1b}[0m"),
    ])
    func onlySequencesForStylesStayInALine(_ text: String, _ columns: Int, _ expected: String) {
        #expect(TerminalText.styledLine(text, columns: columns) == expected)
    }
}
