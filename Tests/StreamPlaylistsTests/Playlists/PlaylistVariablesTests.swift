import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct PlaylistVariablesTests {
    /// The target duration tag, which every media playlist needs.
    private let targetDurationTag = "#EXT-X-TARGETDURATION:4\n"

    /// Returns `text` with each reference to a playlist variable replaced by the variable's value.
    private func expand(_ text: String, _ values: [String: String]) throws -> String {
        var variables = PlaylistVariables(limits: .init())
        for (name, value) in values { try variables.define(name, as: value, line: 1) }
        return String(decoding: try variables.expand(Array(text.utf8)[...], line: 2), as: UTF8.self)
    }

    @Test("References are replaced once, and other braces are unchanged")
    func variableReferencesAreReplacedOnce() throws {
        let values = ["a": "1", "b-_9": "{$a}"]
        #expect(try expand("{$a}x{$b-_9}{$a}", values) == "1x{$a}1")
        for text in ["{", "{$", "{$}", "{$a", "{a}", "{{$ a}", "$a", "{$a.b}", "{${$"] {
            #expect(try expand(text, values) == text)
        }
        #expect(try expand("{{$a}}", values) == "{1}")
    }

    @Test("Definitions apply to the lines after them, in addresses and in strings")
    func definitionsApplyToTheLinesAfterThem() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            #EXT-X-DEFINE:NAME="host",VALUE="https://b.example"
            #EXT-X-DEFINE:NAME="path",VALUE="{$host}/x"
            \(targetDurationTag)#EXT-X-MAP:URI="{$path}/init.mp4"
            #EXTINF:4,
            {$path}/1.m4s
            """)
        #expect(playlist.segments.first?.address.url == "https://b.example/x/1.m4s")
        #expect(playlist.segments.first?.initialization?.address.url == "https://b.example/x/init.mp4")
    }

    @Test("A media playlist imports variables and reads them from its own address")
    func mediaPlaylistImportsVariables() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            "#EXT-X-DEFINE:IMPORT=\"a\"\n#EXT-X-DEFINE:QUERYPARAM=\"t\"\n\(targetDurationTag)#EXTINF:4,\n{$a}?t={$t}\n",
            address: "https://a.example/i.m3u8?s=1&t=%41b&t=2", imports: ["a": "x.ts"])
        #expect(playlist.segments.first?.address.url == "https://a.example/x.ts?t=Ab")
    }

    @Test("A multivariant playlist exports its variables")
    func multivariantPlaylistExportsItsVariables() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"1\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{$a}.m3u8\n")
        #expect(playlist.variables == ["a": "1"])
        #expect(playlist.variants.first?.address.referenceText == "1.m3u8")
    }

    @Test(
        "Undefined variables and invalid definitions are errors",
        arguments: [
            ("#EXTINF:4,\n{$x}\n", PlaylistError.Reason.undefinedVariable("x"), 4),
            ("#EXT-X-DEFINE:IMPORT=\"x\"\n", .undefinedVariable("x"), 3),
            ("#EXT-X-DEFINE:QUERYPARAM=\"x\"\n", .undefinedVariable("x"), 3),
            ("#EXT-X-DEFINE:NAME=\"x\"\n", .missingAttribute(tag: "EXT-X-DEFINE", name: "VALUE"), 3),
            ("#EXT-X-DEFINE:VALUE=\"x\"\n", .missingAttribute(tag: "EXT-X-DEFINE", name: "NAME"), 3),
            ("#EXT-X-DEFINE:NAME=\"x y\",VALUE=\"\"\n", .invalidDefinition("x y"), 3),
            ("#EXT-X-DEFINE:NAME=\"\",VALUE=\"\"\n", .invalidDefinition(""), 3),
            (
                "#EXT-X-DEFINE:NAME=\"x\",VALUE=\"1\"\n#EXT-X-DEFINE:NAME=\"x\",VALUE=\"1\"\n", .invalidDefinition("x"),
                4
            ),
        ])
    func invalidVariablesAndDefinitionsAreErrors(_ lines: String, _ reason: PlaylistError.Reason, _ line: Int) {
        #expect(PlaylistSamples.mediaError(targetDurationTag + lines) == PlaylistError(reason, line: line))
    }

    @Test("Variables that repeatedly double in size exceed the limit")
    func variablesThatDoubleInSizeExceedTheLimit() {
        var text = "#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"0123456789\"\n"
        // The last variable's value would have 42 MB: more than the limit, but harmless if the limit does not work.
        for number in 1...22 {
            text += "#EXT-X-DEFINE:NAME=\"v\(number)\",VALUE=\"{$v\(number - 1)}{$v\(number - 1)}\"\n"
        }
        #expect(PlaylistSamples.mediaError(text)?.reason == .expansionTooLarge(limit: 8 << 20))
    }

    @Test("The number of variables is limited")
    func numberOfVariablesIsLimited() {
        var limits = PlaylistLimits()
        limits.variables = 1
        let text = "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\"\n#EXT-X-DEFINE:NAME=\"b\",VALUE=\"\"\n"
        #expect(
            PlaylistSamples.mediaError(text, limits: limits) == PlaylistError(.invalidDefinition("b"), line: 3))
    }
}
