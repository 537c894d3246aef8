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

    @Test(arguments: [
        ("", true), ("a\tb", true), ("grün", true), ("a\u{7F}", false), ("a\nb", false), ("\u{1B}[0m", false),
    ])
    func onlyTextWithoutControlCharactersIsAValue(text: String, isValue: Bool) {
        #expect(HTTPOptions.isValue(text) == isValue)
    }

    @Test(arguments: [("Größe: 1", false), ("a!#$%&'*+-.^_`|~9: 1", true), ("a(b): 1", false), ("٣: 1", false)])
    func namesOfFieldsConsistOfTokenCharacters(text: String, isField: Bool) {
        #expect(HTTPOptions.isField(text) == isField)
    }

    @Test func controlCharactersOfAnAddressAreEscapedAndPercentSignsStay() {
        #expect(ActiveTransfer.escaped("http://a/\u{7F}\n%7f~!") == "http://a/%7F%0A%7f~!")
    }

    @Test func theEndOfARequestedRangeIsIncluded() {
        #expect(ByteSpan(start: 0, end: 500).rangeText == "0-499" && ByteSpan(start: 7, end: 8).rangeText == "7-7")
        #expect(ByteSpan(start: 500).rangeText == "500-")
    }
}
