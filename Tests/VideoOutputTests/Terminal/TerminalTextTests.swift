import Testing

@testable import VideoOutput

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("a\u{1b}]0;evil\u{07}b", "a]0;evilb"), ("a\u{9b}31mb", "a31mb"),
        ("two\nlines\tx", "two lines x"),
        ("\u{202e}gpj.exe", "gpj.exe"), ("\u{7f}\u{0}é日", "é日"), ("\u{e000}\u{feff}x", "x"),
    ]) func controlCharactersAreRemoved(_ text: String, _ expected: String) {
        #expect(TerminalText.sanitised(text) == expected)
    }

    @Test func textIsCutToTheColumns() {
        func fittingText(_ text: String, _ columns: Int) -> String {
            TerminalText.fitting(text, columns: columns).map { String(String.UnicodeScalarView($0.scalars)) }.joined()
        }
        #expect(fittingText("abcdef", 3) == "abc")
        #expect(fittingText("日本語", 5) == "日本")
        #expect(fittingText("e\u{301}x", 2) == "e\u{301}x")
        #expect(fittingText("abc", 0) == "")
        // Each character keeps only a limited number of its combining marks.
        #expect(TerminalText.fitting("a" + String(repeating: "\u{301}", count: 100), columns: 5)[0].scalars.count == 8)
    }
}
