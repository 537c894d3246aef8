import Testing

@testable import StreamPlaylists

@Suite struct PlaylistLinesTests {
    /// Returns the lines of a playlist, each as its line number, a colon and its text.
    private func lines(_ text: String) -> [String] {
        PlaylistLines(Array(text.utf8)).map { "\($0.number):\(String(decoding: $0.text, as: UTF8.self))" }
    }

    @Test(
        "Lines end with LF, CRLF or CR",
        arguments: ["a\nb\n\nc", "a\r\nb\r\n\r\nc\r\n", "a\rb\r\rc\r", "a\nb\r\n\rc"])
    func linesEndWithLFOrCRLFOrCR(_ text: String) { #expect(lines(text) == ["1:a", "2:b", "4:c"]) }

    @Test("White space at the start and end of a line is removed")
    func surroundingWhiteSpaceIsRemoved() { #expect(lines("  a b\t\n \t \n\tc ") == ["1:a b", "3:c"]) }

    @Test("A byte order mark is skipped")
    func byteOrderMarkIsSkipped() { #expect(lines("\u{FEFF}#EXTM3U\nx") == ["1:#EXTM3U", "2:x"]) }

    @Test("An empty text has no lines", arguments: ["", "\n", "\r\n\r\n", "  ", "\u{FEFF}"])
    func emptyTextHasNoLines(_ text: String) { #expect(lines(text).isEmpty) }
}
