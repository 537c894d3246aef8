import Testing

@testable import StreamPlaylists

@Suite struct AttributeListTests {
    /// Parses the text of an HLS attribute list.
    private func list(_ text: String, limits: PlaylistLimits = .init()) throws -> AttributeList {
        let line = PlaylistLines.Line(number: 5, text: Array("#EXT-X-TEST:\(text)".utf8)[...])
        var variables = PlaylistVariables(limits: limits)
        try variables.define("v", as: "a,\"b", line: 1)
        return try AttributeList(try #require(PlaylistTag(line)), &variables, limits: limits)
    }

    @Test("Values of each type are parsed")
    func valuesOfEachTypeAreParsed() throws {
        let list = try list("A=12,B=0x1F,C=2.5,D=\"x,y=z\",E=SOME-NAME,F=1x2,G=\"\"")
        #expect(list.integer("A") == 12)
        #expect(list["B"] == "0x1F")
        #expect(list.decimal("C") == 2.5)
        #expect(list.nanoseconds("C") == 2_500_000_000)
        #expect(list["D"] == "x,y=z")
        #expect(list.quotedString("D") == "x,y=z")
        #expect(list["E"] == "SOME-NAME")
        #expect(list.quotedString("E") == nil)
        #expect(list["G"] == "")
        #expect(list["H"] == nil)
    }

    @Test("White space, empty parts and text without an equals sign are tolerated")
    func whiteSpaceAndEmptyPartsAreTolerated() throws {
        let list = try list(" A = 1 ,, B , C =\"x\" y,D=,E=2,")
        #expect(list.integer("A") == 1)
        #expect(list["B"] == nil)
        #expect(list["C"] == "x")
        #expect(list["D"] == "")
        #expect(list.integer("E") == 2)
    }

    @Test("If two attributes have the same name, the first one is used")
    func firstAttributeOfANameIsUsed() throws { #expect(try list("A=1,A=2").integer("A") == 1) }

    @Test("Malformed numbers are treated as missing", arguments: ["-1", "1e9", "x", "99999999999999999999", ""])
    func malformedNumbersAreTreatedAsMissing(_ text: String) throws {
        let list = try list("A=\(text)")
        #expect(list.integer("A") == nil)
        #expect(list.decimal("A") == nil)
    }

    @Test("A list in a string is split at commas")
    func listInAStringIsSplitAtCommas() throws {
        #expect(try list("A=\"avc1.64001f, mp4a.40.2,,\"").list("A") == ["avc1.64001f", "mp4a.40.2"])
        #expect(try list("").list("A") == [])
    }

    @Test("Commas and quotes in the value of a variable do not end the attribute")
    func variableValueStaysWithinItsAttribute() throws { #expect(try list("A=\"x{$v}y\",B=1")["A"] == "xa,\"by") }

    @Test("An unterminated string is an error that states the line number", arguments: ["A=\"x", "A=1,B=\""])
    func unterminatedStringIsAnErrorWithItsLine(_ text: String) {
        #expect(throws: PlaylistError(.invalidAttributes(tag: "EXT-X-TEST"), line: 5)) { try list(text) }
    }

    @Test("Too many attributes are an error")
    func tooManyAttributesAreAnError() throws {
        var limits = PlaylistLimits()
        limits.attributes = 2
        #expect(try list("A=1,B=2,A=3", limits: limits).integer("B") == 2)
        #expect(throws: PlaylistError(.invalidAttributes(tag: "EXT-X-TEST"), line: 5)) {
            try list("A=1,B=2,C=3", limits: limits)
        }
    }
}
