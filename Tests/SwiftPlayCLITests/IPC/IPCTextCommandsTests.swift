import Testing

@testable import SwiftPlayCLI

@Suite struct IPCTextCommandsTests {
    private func parse(_ text: String) -> [IPCCommand]? { IPCTextCommands.parse(Array(text.utf8)[...]) }

    @Test(arguments: ["", " ", "\t", ";", " ; ;; ", "# comment", ";# comment"]) func nothingIsNoCommand(_ text: String)
    {
        #expect(parse(text) == [])
    }

    @Test func commandsArePartedBySemicolons() {
        #expect(parse("a 1;b;c 2 3") == [IPCCommand("a", ["1"]), IPCCommand("b"), IPCCommand("c", ["2", "3"])])
    }

    @Test func aCommentEndsTheLineButNotItsCommands() {
        #expect(parse("a 1; b # c; d") == [IPCCommand("a", ["1"]), IPCCommand("b")])
    }

    @Test func doubleQuotesHaveEscapes() {
        #expect(parse(#"set title "a\tb\u0041\"""#) == [IPCCommand("set", ["title", "a\tbA\""])])
    }

    @Test func singleQuotesHaveNone() {
        #expect(parse(#"set title 'a\tb "c" ; #'"#) == [IPCCommand("set", ["title", #"a\tb "c" ; #"#])])
    }

    @Test func anEmptyWordIsAWord() {
        #expect(parse(#"set title """#) == [IPCCommand("set", ["title", ""])])
        #expect(parse("''") == [IPCCommand("")])
    }

    @Test(arguments: ["a \"b", "a 'b", "a \"b\\\"", "a \"b\"c", "a 'b'c", "a 'b''c'", #"a "\x""#])
    func aMalformedLineIsNoneOfItsCommands(_ text: String) {
        #expect(parse("first; " + text) == nil)
    }

    @Test func aQuoteInsideAWordBelongsToIt() {
        #expect(parse("set title it's") == [IPCCommand("set", ["title", "it's"])])
    }

    @Test func aSliceIsReadFromItsOwnBeginning() {
        #expect(IPCTextCommands.parse(Array("xx'a b' c".utf8)[2...]) == [IPCCommand("a b", ["c"])])
    }
}
