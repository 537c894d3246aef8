import Testing

@testable import HTTPTransfer

@Suite struct HTTPOptionsTests {
    @Test(arguments: [
        ("X-Token: abc", true), ("Accept:", true), ("no colon", false), (": value", false), ("two words: x", false),
        ("X: a\r\nY: b", false), ("X: a\u{0}", false),
    ])
    func onlyASingleHeaderFieldIsValid(text: String, isField: Bool) { #expect(HTTPOptions.isField(text) == isField) }

    @Test func invalidCharactersOfAnAddressArePercentEncoded() {
        #expect(ActiveTransfer.escaped("http://a/b c%20ä?x") == "http://a/b%20c%20%C3%A4?x")
    }
}
