import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct RenditionTests {
    /// Parses a multivariant playlist with the given `EXT-X-MEDIA` tags, and with one variant that uses the groups of
    /// these tags.
    private func playlist(_ mediaTags: String) throws -> MultivariantPlaylist {
        try PlaylistSamples.multivariantPlaylist(
            "\(mediaTags)\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\",SUBTITLES=\"s\",CLOSED-CAPTIONS=\"c\"\nv.m3u8\n")
    }

    @Test("All attributes of a rendition are parsed")
    func allAttributesOfARenditionAreParsed() throws {
        let playlist = try playlist(
            """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",ASSOC-LANGUAGE="gsw",\
            AUTOSELECT=YES,URI="de.m3u8",CHANNELS="6/JOC",CHARACTERISTICS="public.x,public.y"
            """)
        let rendition = try #require(playlist.renditions.first)
        #expect(rendition.kind == .audio && rendition.groupID == "a" && rendition.name == "Deutsch")
        #expect(rendition.language == "de" && rendition.associatedLanguage == "gsw" && rendition.channels == "6/JOC")
        #expect(rendition.characteristics == ["public.x", "public.y"])
        #expect(rendition.isAutoselect && !rendition.isDefault && !rendition.isForced)
        #expect(rendition.address?.url == "https://a.example/films/one/de.m3u8")
    }

    @Test("A default rendition may be chosen automatically")
    func defaultRenditionMayBeChosenAutomatically() throws {
        let text = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"n\",DEFAULT=YES"
        let rendition = try #require(try playlist(text).renditions.first)
        #expect(rendition.isDefault && rendition.isAutoselect && rendition.address == nil)
    }

    @Test("Only subtitles are forced, and closed captions have no address")
    func onlySubtitlesAreForcedAndCaptionsHaveNoAddress() throws {
        let playlist = try playlist(
            """
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="n",FORCED=YES,URI="s.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n",FORCED=YES,URI="a.m3u8"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="n",INSTREAM-ID="CC1",URI="c.m3u8"
            """)
        #expect(playlist.renditions.map(\.isForced) == [true, false, false])
        #expect(playlist.renditions.map(\.address?.referenceText) == ["s.m3u8", "a.m3u8", nil])
        #expect(playlist.renditions.last?.instreamID == "CC1")
    }

    @Test("The renditions of a variant are those of its groups of the same kind")
    func variantHasTheRenditionsOfItsGroups() throws {
        let playlist = try playlist(
            """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="1"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="2"
            #EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="a",NAME="3"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="4"
            """)
        let variant = try #require(playlist.variants.first)
        #expect(playlist.renditions(.audio, of: variant).map(\.name) == ["1", "4"])
        #expect(playlist.renditions(.video, of: variant).isEmpty)
        #expect(playlist.renditions(.subtitles, of: variant).isEmpty)
    }

    @Test(
        "An incomplete rendition is ignored with a warning",
        arguments: [
            ("GROUP-ID=\"a\",NAME=\"n\"", PlaylistError.Reason.missingAttribute(tag: "EXT-X-MEDIA", name: "TYPE")),
            ("TYPE=SMELL,GROUP-ID=\"a\",NAME=\"n\"", .invalidValue(tag: "EXT-X-MEDIA", text: "SMELL")),
            ("TYPE=AUDIO,NAME=\"n\"", .missingAttribute(tag: "EXT-X-MEDIA", name: "GROUP-ID")),
            ("TYPE=AUDIO,GROUP-ID=\"a\"", .missingAttribute(tag: "EXT-X-MEDIA", name: "NAME")),
            ("TYPE=SUBTITLES,GROUP-ID=\"a\",NAME=\"n\"", .missingAttribute(tag: "EXT-X-MEDIA", name: "URI")),
            ("TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"n\",URI=\"file:x\"", .refusedScheme("file")),
        ])
    func incompleteRenditionIsIgnoredWithAWarning(_ attributes: String, _ reason: PlaylistError.Reason) throws {
        let playlist = try playlist("#EXT-X-MEDIA:\(attributes)")
        #expect(playlist.renditions.isEmpty)
        #expect(playlist.warnings == [PlaylistError(reason, line: 2)])
    }
}
