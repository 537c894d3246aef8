import Testing

@testable import StreamPlaylists

@Suite struct URIReferenceTests {
    /// Returns the absolute address of a reference, resolved against a base address (RFC 3986, section 5).
    private func resolve(_ reference: String, _ base: String = "http://a/b/c/d;p?q") -> String {
        URIReference(reference).resolved(against: URIReference(base)).text
    }

    @Test(
        "The normal examples of RFC 3986, section 5.4.1, are resolved as stated there",
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"),
        ])
    func normalRFC3986ExamplesResolve(_ reference: String, _ expected: String) {
        #expect(resolve(reference) == expected)
    }

    @Test(
        "The abnormal examples of RFC 3986, section 5.4.2, are resolved as stated there",
        arguments: [
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ])
    func abnormalRFC3986ExamplesResolve(_ reference: String, _ expected: String) {
        #expect(resolve(reference) == expected)
    }

    @Test("References resolve against bases without a path, with a port and with a local file")
    func referencesResolveAgainstOtherBases() {
        #expect(resolve("b.ts", "https://a.example") == "https://a.example/b.ts")
        #expect(resolve("b.ts", "https://u:p@a.example:81/x/y?/z") == "https://u:p@a.example:81/x/b.ts")
        #expect(resolve("../b.ts", "file:///films/one/index.m3u8") == "file:///films/b.ts")
        #expect(resolve("/..//h/x", "file:/films/one") == "file:/.//h/x")
        #expect(resolve("a//../b", "http://a/") == "http://a/a/b")
    }

    @Test(
        "Splitting and joining a reference does not change its text",
        arguments: [
            "http://a.example:80/b?c#d", "mailto:x", "?", "#", "//", "//a?b", "a:b:c", ":a", "1a:b", "é:b", "a/b:c",
            "data:,x%20y", "http://[::1]:80/", "http:///x", "?a?b#c#d",
        ])
    func splittingAndJoiningKeepsTheText(_ text: String) { #expect(URIReference(text).text == text) }

    @Test("A scheme consists of letters, digits, plus, minus and full stop")
    func schemeConsistsOfLettersDigitsAndThreeSigns() {
        #expect(URIReference("HtTp+x-1.2:b").scheme == "HtTp+x-1.2")
        for text in ["1a:b", ":b", "a b:c", "./a:b", "é:b"] { #expect(URIReference(text).scheme == nil) }
    }

    @Test("A path of many parent segments is resolved in linear time")
    func longPathIsResolvedInLinearTime() {
        let path = String(repeating: "a/../", count: 100_000)
        #expect(resolve("/" + path + "x") == "http://a/x")
    }

    @Test("A combining character after a delimiter belongs to the next part")
    func combiningCharacterAfterADelimiterIsKept() {
        let mark = "\u{301}"
        let reference = URIReference("s:\(mark)p?\(mark)q#\(mark)f")
        #expect(reference.text.unicodeScalars.elementsEqual("s:\(mark)p?\(mark)q#\(mark)f".unicodeScalars))
        #expect(reference.query.map { Array($0.unicodeScalars) } == ["\u{301}", "q"])
        #expect(reference.fragment.map { Array($0.unicodeScalars) } == ["\u{301}", "f"])
        let resolved = resolve("../b", "file:///\(mark)a/x/y")
        #expect(Array(resolved.unicodeScalars) == Array("file:///\(mark)a/b".unicodeScalars))
        let sibling = resolve("b", "file:///x/\(mark)a")
        #expect(Array(sibling.unicodeScalars) == Array("file:///x/b".unicodeScalars))
        #expect(URIReference("//\(mark)host/p").authority.map { Array($0.unicodeScalars).first } == "\u{301}")
    }
}
