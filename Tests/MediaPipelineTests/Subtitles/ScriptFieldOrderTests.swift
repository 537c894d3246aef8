import Testing

@testable import MediaPipeline

@Suite struct ScriptFieldOrderTests {
    /// The header of an ASS script whose events have an unusual field order.
    private let header =
        "[Script Info]\r\nFormat: odd\r\n\r\n[Events]\r\nFormat: Layer, Start, End, Style, Actor, Text\r\n"

    @Test func fieldsAreReorderedToTheStandardOrder() {
        let fields = ScriptFieldOrder(header: header)
        #expect(fields.eventInStandardOrder("0,Default,Nobody,One, two") == "0,Default,Nobody,,,,,One, two")
        #expect(
            fields.headerInStandardOrder(header).hasSuffix(
                "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"))
        #expect(fields.headerInStandardOrder(header).contains("Format: odd\n"))
    }

    @Test func eventsInTheStandardOrderAreUnchanged() {
        let fields = ScriptFieldOrder(header: header)
        #expect(fields.eventInStandardOrder("0,Default ,Olly,,,,,This, too") == "0,Default ,Olly,,,,,This, too")
        #expect(fields.eventInStandardOrder("0,Default,Olly,0,12,0,,This") == "0,Default,Olly,0,12,0,,This")
        #expect(fields.eventInStandardOrder("0") == "0")
    }

    @Test func standardHeaderIsUnchanged() {
        let standardHeader =
            "[Events]\r\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\r\n"
        #expect(ScriptFieldOrder(header: standardHeader).headerInStandardOrder(standardHeader) == standardHeader)
        #expect(ScriptFieldOrder(header: standardHeader).eventInStandardOrder("0,A,B,C") == "0,A,B,C")
        #expect(ScriptFieldOrder(header: "").eventInStandardOrder("0,A,B,C") == "0,A,B,C")
    }
}
