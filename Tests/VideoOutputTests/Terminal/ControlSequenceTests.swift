import Testing

@testable import VideoOutput

@Suite struct ControlSequenceTests {
    /// Parses the text of a control sequence after its introducer (ESC [).
    private func sequence(_ text: String) -> ControlSequence { ControlSequence(Array(text.utf8)[...]) }

    @Test func deviceAttributesAreParsed() {
        #expect(sequence("?62;4;22c").reply == .attributes([62, 4, 22]))
        #expect(sequence("?62;4;22c").key == nil)
    }

    @Test func cellSizeIsParsedWithHeightFirst() {
        #expect(sequence("6;20;10t").reply == .cellSize(width: 10, height: 20))
    }

    @Test(arguments: ["4;600;800t", "6;20t", "6;20;10;1t", "?6;20;10t", "6;20;10c", ">0;276;0c"])
    func unsupportedReportsAreIgnored(_ text: String) {
        #expect(sequence(text).reply == nil)
    }

    @Test(arguments: ["?1A", ">5u", "<0;1;1M", "=1c"]) func sequencesWithAPrivateMarkerAreNoKeys(_ text: String) {
        #expect(sequence(text).key == nil)
    }

    @Test(arguments: ["1 A", "2$y", "1;5!A"]) func sequencesWithAnIntermediateByteAreNoKeys(_ text: String) {
        #expect(sequence(text).key == nil)
    }

    @Test func cursorReportsAreDistinguishedFromF3() {
        #expect(sequence("12;40R").key == nil)
        #expect(sequence("1;5R").key == "ctrl+F3")
        #expect(sequence("R").key == "F3")
    }

    @Test func unknownNumbersAndLettersAreNoKeys() {
        for text in ["99~", "~", "0~", "9~", "G", "5n"] { #expect(sequence(text).key == nil, "\(text)") }
    }

    @Test func unicodeKeysMustBeValidScalars() {
        #expect(sequence("0u").key == nil)
        #expect(sequence("55296u").key == nil)
        #expect(sequence("1114112u").key == nil)
        #expect(sequence("233u").key == "é")
    }

    @Test func hugeNumbersAreClampedWithoutTrapping() {
        let digits = String(repeating: "9", count: 400)
        #expect(sequence(digits + "u").key == nil)
        #expect(sequence("1;" + digits + "A").key != nil)
        #expect(sequence("?" + digits + "c").reply == .attributes([999_999_999]))
    }

    @Test func subparametersAreIgnored() {
        #expect(sequence("97:65;5:1u").key == "ctrl+a")
    }
}
