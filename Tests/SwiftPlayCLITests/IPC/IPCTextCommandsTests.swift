import Testing

@testable import SwiftPlayCLI

@Suite struct IPCTextCommandsTests {
    private func parse(_ text: String) -> [IPCCommand]? { IPCTextCommands.parse(Array(text.utf8)[...]) }

    @Test(arguments: ["", " ", "\t", ";", " ; ;; ", "# comment", ";# comment"])
    func blankLinesAndCommentsContainNoCommands(_ text: String) {
        #expect(parse(text) == [])
    }

    @Test func semicolonsSeparateCommands() {
        #expect(parse("a 1;b;c 2 3") == [IPCCommand("a", ["1"]), IPCCommand("b"), IPCCommand("c", ["2", "3"])])
    }

    @Test func aCommentKeepsTheCommandsBeforeIt() {
        #expect(parse("a 1; b # c; d") == [IPCCommand("a", ["1"]), IPCCommand("b")])
    }

    @Test func namesKeepTheirBytes() {
        for line in ["loadfile a\u{E4}", "loadfile 'a\u{E4}'", "loadfile \"a\u{E4}\""] {
            let bytes = line.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            #expect(IPCTextCommands.parse(bytes[...]) == [IPCCommand("loadfile", [.undecodedString([0x61, 0xE4])])])
        }
    }

    @Test func doubleQuotedTextHasEscapes() {
        #expect(parse(#"set title "a\tb\u0041\"""#) == [IPCCommand("set", ["title", "a\tbA\""])])
    }

    @Test func singleQuotedTextHasNoEscapes() {
        #expect(parse(#"set title 'a\tb "c" ; #'"#) == [IPCCommand("set", ["title", #"a\tb "c" ; #"#])])
    }

    @Test func quotesCanEncloseAnEmptyWord() {
        #expect(parse(#"set title """#) == [IPCCommand("set", ["title", ""])])
        #expect(parse("''") == [IPCCommand("")])
    }

    @Test(arguments: ["a \"b", "a 'b", "a \"b\\\"", "a \"b\"c", "a 'b'c", "a 'b''c'", #"a "\x""#])
    func aMalformedLineYieldsNoCommands(_ text: String) {
        #expect(parse("first; " + text) == nil)
    }

    @Test func aQuoteInsideAWordIsPartOfTheWord() {
        #expect(parse("set title it's") == [IPCCommand("set", ["title", "it's"])])
    }

    @Test func parsingBeginsAtTheStartOfASlice() {
        #expect(IPCTextCommands.parse(Array("xx'a b' c".utf8)[2...]) == [IPCCommand("a b", ["c"])])
    }
}
