import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct XMLElementTests {
    /// Returns the error with which parsing a text fails; nil if the text is accepted.
    private func error(_ text: String, limits: XMLElement.Limits = .init()) -> ManifestError? {
        do throws(ManifestError) {
            _ = try XMLElement.parse(Array(text.utf8), limits: limits)
            return nil
        } catch { return error }
    }

    @Test func elementsHaveAttributesChildrenTextAndLines() throws {
        let root = try XMLElement.parse(
            Array("<?xml version='1.0'?>\n<a:MPD x='1' b:y='&amp;'>\n <B> t&lt;u </B>\n<B/></a:MPD>".utf8))
        #expect(root.name == "MPD" && root["x"] == "1" && root["b:y"] == "&" && root.line == 2)
        #expect(root.children("B").map(\.text) == ["t<u", ""] && root.child("B")?.line == 3 && root.text.isEmpty)
    }

    @Test func innerElementInheritsMissingAttributesAndChildren() throws {
        let outerElement = XMLElement(
            name: "T", attributes: ["a": "1", "b": "2"],
            children: [XMLElement(name: "X", line: 1), XMLElement(name: "Y", line: 2)], line: 1)
        let innerElement = XMLElement(
            name: "T", attributes: ["b": "3"], children: [XMLElement(name: "X", line: 9)], line: 8)
        let mergedElement = innerElement.inheriting(from: outerElement)
        #expect(
            mergedElement.attributes == ["a": "1", "b": "3"] && mergedElement.children.map(\.line) == [9, 2]
                && mergedElement.line == 8)
    }

    @Test("document types and entities are refused")
    func documentTypesAreRefused() {
        let entityExpansion = "<!DOCTYPE a [<!ENTITY x 'xxxxxxxxxx'><!ENTITY y '&x;&x;&x;'>]>\n<a>&y;</a>"
        #expect(error(entityExpansion)?.reason == .documentType)
        #expect(error("<!DOCTYPE MPD SYSTEM 'http://b.example/mpd.dtd'><MPD/>")?.reason == .documentType)
        #expect(error("<a>&undefined;</a>") != nil)
    }

    @Test(
        "a web page is reported as a web page",
        arguments: ["<!doctype HTML><p>", "<html><body>not found</body></html>", "<HTML>"])
    func webPageIsReportedAsWebPage(text: String) {
        #expect(error(text)?.reason == .webPage)
    }

    @Test("text that is not well-formed is refused, with the line", arguments: [("<a>\n<b>\n</a>", 3), ("<a>\n<b", 2)])
    func malformedTextIsRefused(text: String, line: Int) {
        let parsingError = error(text)
        #expect(
            parsingError?.line == line && parsingError?.description.contains("not well-formed") == true,
            "\(parsingError as Any)")
    }

    @Test("an empty text is refused", arguments: ["", "\n", "text"]) func emptyTextIsRefused(text: String) {
        #expect(error(text) != nil)
    }

    @Test func limitsApplyToSizeDepthAndElementCount() {
        var limits = XMLElement.Limits()
        (limits.bytes, limits.depth, limits.elements) = (64, 2, 4)
        #expect(error("<a><b/><b/><b/></a>", limits: limits) == nil)
        #expect(error("<a><b/><b/><b/><b/></a>", limits: limits)?.reason == .tooManyElements(limit: 4))
        #expect(error("<a><b><c/></b></a>", limits: limits)?.reason == .tooDeep(limit: 2))
        #expect(
            error("<a>" + String(repeating: " ", count: 64) + "</a>", limits: limits)?.reason == .tooLarge(limit: 64))
    }

    @Test(
        "byte ranges include their last byte",
        arguments: [("0-499", 0, 500), ("7-7", 7, 1)])
    func byteRangesIncludeTheirLastByte(text: String, offset: Int, length: Int) throws {
        let element = XMLElement(name: "a", attributes: ["r": text], line: 1)
        #expect(try element.range("r") == ByteRange(offset: offset, length: length))
    }

    @Test(
        "malformed values are refused",
        arguments: ["", "-", "1-", "5-4", "-1-4", "1-9223372036854775807", "x", "1-2-3"])
    func malformedValuesAreRefused(text: String) {
        let element = XMLElement(name: "a", attributes: ["r": text], line: 3)
        #expect(throws: ManifestError(.invalidValue(element: "a", name: "r", text: text), line: 3)) {
            try element.range("r")
        }
        #expect(throws: ManifestError.self) { try element.integer("r") }
        #expect(throws: ManifestError.self) { try element.duration("r") }
        #expect(throws: ManifestError.self) { try element.date("r") }
    }

    @Test func textOfSeveralPartsIsJoined() throws {
        let root = try XMLElement.parse(Array("<a>\n one <b>two</b> &lt;<![CDATA[<x>]]><!-- no --> three\t</a>".utf8))
        #expect(root.text == "one  <<x> three" && root.child("b")?.text == "two")
    }

    @Test func otherEncodingsAreConverted() throws {
        let latin1: [UInt8] =
            Array("<?xml version='1.0' encoding='ISO-8859-1'?><a b='".utf8) + [0xE4] + Array("'/>".utf8)
        #expect(try XMLElement.parse(latin1)["b"] == "ä")
        #expect(throws: ManifestError.self) { try XMLElement.parse(Array("<a b='".utf8) + [0xE4] + Array("'/>".utf8)) }
    }

    @Test("a duration longer than every playlist is refused, and missing attributes are nil")
    func excessiveDurationIsRefused() throws {
        let element = XMLElement(name: "a", attributes: ["d": "P80Y", "e": "P70Y", "n": "+1"], line: 4)
        #expect(throws: ManifestError(.invalidValue(element: "a", name: "d", text: "P80Y"), line: 4)) {
            try element.duration("d")
        }
        #expect(try element.duration("e") == 70 * 31_536_000_000_000_000)
        #expect(try element.duration("x") == nil && element.integer("x") == nil && element.date("x") == nil)
        #expect(try element.range("x") == nil)
    }
}
