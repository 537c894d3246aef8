import Testing

@testable import SwiftPlayCLI

@Suite struct EscapedTextTests {
    @Test(
        arguments: [
            ("", ""), (#"a\nb\tc\r\b"#, "a\nb\tc\r\u{8}"), (#"\e[1m"#, "\u{1b}[1m"), (#"\"\\"#, #""\"#),
            (#"\x41z"#, "Az"),
            (#"\u00e9"#, "é"), (#"\"#, nil), (#"\q"#, nil), (#"\x4"#, nil), (#"\xzz"#, nil), (#"\ud800"#, nil),
        ] as [(String, String?)])
    func escapesAreReplaced(_ text: String, _ expected: String?) { #expect(EscapedText.unescaped(text) == expected) }
}
