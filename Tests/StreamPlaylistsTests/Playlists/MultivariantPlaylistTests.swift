import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct MultivariantPlaylistTests {
    /// The playlist lines of a valid variant.
    private let variantLines = "#EXT-X-STREAM-INF:BANDWIDTH=1000\na.m3u8\n"

    @Test("All attributes of a variant are parsed")
    func allAttributesOfAVariantAreParsed() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            """
            #EXT-X-INDEPENDENT-SEGMENTS
            #EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES
            #EXT-X-STREAM-INF:BANDWIDTH=5000000,AVERAGE-BANDWIDTH=4000000,CODECS="hvc1.2.4.L123, ec-3",\
            RESOLUTION=1920x1080,FRAME-RATE=59.940,VIDEO-RANGE=PQ,HDCP-LEVEL=TYPE-1,SCORE=2.5,AUDIO="au",\
            VIDEO="vi",SUBTITLES="su",CLOSED-CAPTIONS="cc",NAME="Full HD",PATHWAY-ID="north"
            hd/index.m3u8?x=1
            """)
        let variant = try #require(playlist.variants.first)
        #expect(variant.address.url == "https://a.example/films/one/hd/index.m3u8?x=1")
        #expect(variant.bandwidth == 5_000_000 && variant.averageBandwidth == 4_000_000)
        #expect(variant.codecs == ["hvc1.2.4.L123", "ec-3"])
        #expect(variant.video.resolution == .init(width: 1920, height: 1080))
        #expect(
            variant.video.frameRate == 59.94 && variant.video.dynamicRange == .pq && variant.video.hdcpLevel == .type1)
        #expect(variant.score == 2.5 && variant.name == "Full HD" && variant.pathwayID == "north")
        #expect(Rendition.Kind.allCases.map { variant.groups.group($0) } == ["au", "vi", "su", "cc"])
        #expect(variant.line == 4)
        #expect(playlist.isIndependent)
        #expect(playlist.start == PlaylistStart(offset: -12_500_000_000, isPrecise: true))
        #expect(playlist.warnings.isEmpty)
    }

    @Test("A variant with only a bit rate has no other properties")
    func variantWithOnlyABitRateHasNoOtherProperties() throws {
        let variant = try #require(try PlaylistSamples.multivariantPlaylist(variantLines).variants.first)
        #expect(variant.averageBandwidth == nil && variant.codecs.isEmpty && variant.score == nil)
        #expect(variant.video.resolution == nil && variant.video.frameRate == nil)
        #expect(variant.video.dynamicRange == nil && variant.video.hdcpLevel == nil)
    }

    @Test("Unknown values of enumerations are kept, and malformed numbers are treated as missing")
    func unknownEnumerationValuesAreKept() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            """
            #EXT-X-STREAM-INF:BANDWIDTH=1,VIDEO-RANGE=HLG2,HDCP-LEVEL=TYPE-9,RESOLUTION=0x0,FRAME-RATE=x,\
            CLOSED-CAPTIONS=NONE,SCORE=-1
            a.m3u8
            """)
        let variant = try #require(playlist.variants.first)
        #expect(variant.video.dynamicRange == .other("HLG2") && variant.video.hdcpLevel == .other("TYPE-9"))
        #expect(variant.video.resolution == nil && variant.video.frameRate == nil && variant.score == nil)
        #expect(variant.groups.closedCaptions == nil)
    }

    @Test("White space before attributes, tags before the address, CRLF and unknown attributes are tolerated")
    func whiteSpaceAndUnknownAttributesAreTolerated() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            "#EXT-X-STREAM-INF:PROGRAM-ID=1, BANDWIDTH=200000\r\n\r\n# a comment\r\n#EXT-X-UNKNOWN:x\r\n"
                + "gear1/prog_index.m3u8\r\n#EXT-X-STREAM-INF:BANDWIDTH=3500000,RESOLUTION=1920x1080,FRAMERATE=60,"
                + "CODECS=\"av01.0.31M.08,mp4a.40.2\",NAME=\"1080p60 AV1\"\r\nmp4.m3u8")
        #expect(playlist.variants.map(\.bandwidth) == [200_000, 3_500_000])
        #expect(playlist.variants.map(\.address.referenceText) == ["gear1/prog_index.m3u8", "mp4.m3u8"])
        #expect(playlist.variants.last?.name == "1080p60 AV1")
    }

    @Test("A missing bit rate is replaced by the average bit rate, or else by 0, with a warning")
    func missingBitRateIsReplacedWithAWarning() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            "#EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=5\na\n#EXT-X-STREAM-INF:BANDWIDTH=99999999999999999999\nb\n")
        #expect(playlist.variants.map(\.bandwidth) == [5, 0])
        let missingBandwidth = PlaylistError.Reason.missingAttribute(tag: "EXT-X-STREAM-INF", name: "BANDWIDTH")
        #expect(
            playlist.warnings == [PlaylistError(missingBandwidth, line: 2), PlaylistError(missingBandwidth, line: 4)])
    }

    @Test("An invalid variant is ignored with a warning")
    func invalidVariantIsIgnoredWithAWarning() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            "#EXT-X-STREAM-INF:BANDWIDTH=1\nfile:///etc/passwd\n#EXT-X-STREAM-INF:BANDWIDTH=2\n\(variantLines)b.m3u8\n"
                + "#EXT-X-STREAM-INF:BANDWIDTH=3\n")
        #expect(playlist.variants.map(\.bandwidth) == [1000])
        #expect(playlist.warnings.map(\.line) == [3, 4, 7, 8])
        #expect(playlist.warnings.first?.reason == .refusedScheme("file"))
    }

    @Test("A playlist without a usable variant is refused with the first error")
    func playlistWithoutAUsableVariantIsRefused() {
        #expect(throws: PlaylistError(.refusedScheme("file"), line: 3)) {
            try PlaylistSamples.multivariantPlaylist("#EXT-X-STREAM-INF:BANDWIDTH=1\nfile:///x\n")
        }
        #expect(throws: PlaylistError(.noVariants)) { try PlaylistSamples.multivariantPlaylist("#EXT-X-VERSION:3\n") }
    }

    @Test("I-frame streams and session keys are parsed, and invalid ones are ignored")
    func iFrameStreamsAndSessionKeysAreParsed() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            """
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=86000,RESOLUTION=640x360,URI="iframe.m3u8"
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=86000
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"
            #EXT-X-SESSION-KEY:METHOD=NONE
            #EXT-X-SESSION-KEY:URI="k"
            #EXT-X-SESSION-DATA:DATA-ID="x",VALUE="y"
            #EXT-X-CONTENT-STEERING:SERVER-URI="/s"
            \(variantLines)
            """)
        #expect(playlist.iFrameStreams.map(\.address.referenceText) == ["iframe.m3u8"])
        #expect(playlist.iFrameStreams.first?.video.resolution?.height == 360)
        #expect(playlist.sessionKeys.map(\.address?.referenceText) == ["k"])
        #expect(playlist.warnings.map(\.line) == [3, 6])
    }

    @Test("A tag of media playlists is an error", arguments: ["EXT-X-TARGETDURATION:4", "EXT-X-ENDLIST", "EXT-X-GAP"])
    func mediaPlaylistTagIsAnError(_ tag: String) {
        let name = String(tag.prefix { $0 != ":" })
        #expect(throws: PlaylistError(.misplacedTag(name), line: 4)) {
            try PlaylistSamples.multivariantPlaylist(variantLines + "#\(tag)\n")
        }
    }

    @Test("Variants, renditions and I-frame streams have a common limit")
    func variantsRenditionsAndIFrameStreamsHaveACommonLimit() throws {
        let renditionLine = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"b\"\n"
        let iFrameStreamLine = "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i\"\n"
        let fullPlaylist =
            String(repeating: variantLines, count: 100) + String(repeating: renditionLine, count: 100)
            + String(repeating: iFrameStreamLine, count: 56)
        #expect(try PlaylistSamples.multivariantPlaylist(fullPlaylist).variants.count == 100)
        for addedLines in [variantLines, renditionLine, iFrameStreamLine] {
            #expect(throws: PlaylistError(.tooManyStreams(limit: 256), line: 358)) {
                try PlaylistSamples.multivariantPlaylist(fullPlaylist + addedLines)
            }
        }
    }
}
