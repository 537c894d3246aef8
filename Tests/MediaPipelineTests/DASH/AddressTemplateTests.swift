import Testing

@testable import MediaPipeline

@Suite struct AddressTemplateTests {
    @Test(
        "the identifiers of a segment template are replaced by their values",
        arguments: [
            ("$RepresentationID$/$Number%05d$.m4s", "a b/00042.m4s"), ("$Time$-$Bandwidth$", "900-1000"),
            ("$$$Number$$$", "$42$"), ("plain.mp4", "plain.mp4"), ("$Number%01d$", "42"), ("$Time%08d$", "00000900"),
            ("", ""),
        ])
    func identifiersAreReplaced(text: String, expected: String) {
        let template = AddressTemplate(text)
        #expect(template?.text(representation: "a b", bandwidth: 1000, number: 42, time: 900) == expected)
    }

    @Test(
        "malformed templates are refused",
        arguments: [
            "$Number", "$number$", "$Number%5d$", "$Number%05x$", "$Number%099d$", "$RepresentationID%02d$", "$ $",
        ])
    func malformedTemplatesAreRefused(text: String) {
        #expect(AddressTemplate(text) == nil)
    }

    @Test func templateReportsItsIdentifiers() {
        #expect(AddressTemplate("$Number$")?.contains(.number) == true)
        #expect(AddressTemplate("$Number%02d$")?.contains(.time) == false)
    }
}
