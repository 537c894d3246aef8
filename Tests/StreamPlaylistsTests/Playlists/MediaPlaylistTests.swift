import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct MediaPlaylistTests {
    /// The target duration tag, which every media playlist needs.
    private let targetDurationTag = "#EXT-X-TARGETDURATION:4\n"

    @Test("The tags that apply to the whole playlist are parsed")
    func playlistTagsAreParsed() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            #EXT-X-VERSION: 10
            #EXT-X-TARGETDURATION:11
            #EXT-X-MEDIA-SEQUENCE:2680
            #EXT-X-DISCONTINUITY-SEQUENCE:7
            #EXT-X-PLAYLIST-TYPE:EVENT
            #EXT-X-I-FRAMES-ONLY
            #EXT-X-INDEPENDENT-SEGMENTS
            #EXT-X-START:TIME-OFFSET=2
            #EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=36.0,HOLD-BACK=18,PART-HOLD-BACK=1.5,CAN-BLOCK-RELOAD=YES
            #EXTINF:10.5,
            a.ts
            #EXT-X-ENDLIST
            """)
        #expect(playlist.targetDuration == 11.seconds && playlist.kind == .event)
        #expect(playlist.isEnded && playlist.isComplete && playlist.isIFramesOnly && playlist.isIndependent)
        #expect(playlist.start == PlaylistStart(offset: 2.seconds, isPrecise: false))
        #expect(playlist.serverControl?.holdBack == 18.seconds && playlist.serverControl?.skipUntil == 36.seconds)
        #expect(playlist.serverControl?.partHoldBack == 1_500_000_000)
        #expect(playlist.serverControl?.canBlockReload == true && playlist.serverControl?.canSkipDateRanges == false)
        #expect(playlist.segments.map(\.number) == [2680] && playlist.segments.map(\.discontinuity) == [7])
        #expect(playlist.segments.first?.duration == 10_500_000_000)
        #expect(playlist.warnings.isEmpty)
    }

    @Test("Only the end tag and the type VOD make a playlist complete")
    func onlyEndTagOrTypeVODMakesAPlaylistComplete() throws {
        #expect(try PlaylistSamples.mediaPlaylist(targetDurationTag).isComplete == false)
        #expect(try PlaylistSamples.mediaPlaylist(targetDurationTag + "#EXT-X-PLAYLIST-TYPE:EVENT").isComplete == false)
        #expect(try PlaylistSamples.mediaPlaylist(targetDurationTag + "#EXT-X-PLAYLIST-TYPE:VOD").isComplete)
        #expect(try PlaylistSamples.mediaPlaylist(targetDurationTag + "#EXT-X-ENDLIST").isComplete)
    }

    @Test("A missing target duration is replaced by the longest segment")
    func missingTargetDurationBecomesTheLongestSegment() throws {
        let text = "#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:2,\na\n#EXTINF:3.5,\nb\n"
        #expect(try PlaylistSamples.mediaPlaylist(text).targetDuration == 3_500_000_000)
        #expect(try PlaylistSamples.mediaPlaylist("#EXT-X-TARGETDURATION:0\n#EXTINF:0,\na\n").targetDuration > 0)
    }

    @Test("A byte range without an offset continues the preceding byte range of the same resource")
    func byteRangeWithoutAnOffsetContinuesThePreviousRange() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            \(targetDurationTag)#EXTINF:4,
            #EXT-X-BYTERANGE:100@50
            a.mp4
            #EXT-X-BYTERANGE:25
            #EXTINF:4,
            a.mp4
            #EXTINF:4,
            b.ts
            #EXTINF:4,
            #EXT-X-BYTERANGE:10@0
            a.mp4
            """)
        #expect(playlist.segments.map(\.byteRange?.offset) == [50, 150, nil, 0])
        #expect(playlist.segments.map(\.byteRange?.end) == [150, 175, nil, 10])
    }

    @Test(
        "A byte range without an offset needs a preceding byte range of the same resource",
        arguments: ["", "#EXTINF:4,\na\n", "#EXTINF:4,\n#EXT-X-BYTERANGE:5@0\nb\n"])
    func byteRangeWithoutAnOffsetNeedsAPrecedingRange(_ precedingLines: String) {
        let lines = targetDurationTag + precedingLines + "#EXTINF:4,\n#EXT-X-BYTERANGE:5\na\n"
        #expect(PlaylistSamples.mediaError(lines)?.reason == .missingByteRangeOffset)
    }

    @Test("An initialization section applies until the next one, and uses the key that applies to its tag")
    func initializationSectionAppliesUntilTheNextOne() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            \(targetDurationTag)#EXTINF:4,
            0.ts
            #EXT-X-MAP:URI="i.mp4",BYTERANGE="1328@10"
            #EXTINF:4,
            1.m4s
            #EXTINF:4,
            2.m4s
            #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x1
            #EXT-X-MAP:URI="j.mp4",BYTERANGE="5"
            #EXTINF:4,
            3.m4s
            """)
        let sections = playlist.segments.map(\.initialization)
        #expect(sections.map(\.?.address.referenceText) == [nil, "i.mp4", "i.mp4", "j.mp4"])
        #expect(sections.map(\.?.byteRange?.offset) == [nil, 10, 10, 0])
        #expect(sections.map { $0?.key != nil } == [false, false, false, true])
        #expect(playlist.segments[2].continues(playlist.segments[1]))
        #expect(!playlist.segments[1].continues(playlist.segments[0]))
        #expect(!playlist.segments[3].continues(playlist.segments[2]))
        #expect(!playlist.segments[2].continues(playlist.segments[0]))
    }

    @Test("A key applies until the next key or NONE, and a supported key is preferred")
    func keyAppliesUntilTheNextKey() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            \(targetDurationTag)#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXTINF:4,
            0
            #EXT-X-KEY:METHOD=AES-128,URI="k1"
            #EXTINF:4,
            1
            #EXTINF:4,
            2
            #EXT-X-KEY:METHOD=AES-128,URI="k2"
            #EXTINF:4,
            3
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:4,
            4
            """)
        #expect(playlist.segments.map(\.key?.address?.referenceText) == [nil, "k1", "k1", "k2", nil])
        #expect(playlist.segments.map { $0.key?.isSupported } == [false, true, true, true, nil])
    }

    @Test("Discontinuities and gaps are marked")
    func discontinuitiesAndGapsAreMarked() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            \(targetDurationTag)#EXT-X-DISCONTINUITY-SEQUENCE:3
            #EXT-X-DISCONTINUITY
            #EXTINF:4,
            0
            #EXT-X-GAP
            #EXTINF:4,
            1
            #EXT-X-DISCONTINUITY
            #EXT-X-DISCONTINUITY
            #EXTINF:4,
            2
            """)
        #expect(playlist.segments.map(\.discontinuity) == [4, 4, 6])
        #expect(playlist.segments.map(\.followsDiscontinuity) == [true, false, true])
        #expect(playlist.segments.map(\.isGap) == [false, true, false])
        #expect(!playlist.segments[1].continues(playlist.segments[0]))
    }

    @Test("The date of one segment determines the dates of the segments before and after it")
    func dateOfASegmentDeterminesTheOtherDates() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            \(targetDurationTag)#EXTINF:4,
            0
            #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:01:40Z
            #EXTINF:3,
            1
            #EXTINF:4,
            2
            #EXT-X-DISCONTINUITY
            #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:05:00Z
            #EXTINF:4,
            3
            #EXT-X-PROGRAM-DATE-TIME:yesterday
            #EXTINF:4,
            4
            """)
        #expect(playlist.segments.map(\.date) == [96, 100, 103, 300, 304].map(\.seconds))
        #expect(playlist.segments.map { $0.flags.contains(.hasProgramDateTime) } == [false, true, false, true, false])
        #expect(playlist.warnings.map(\.line) == [14])
    }

    @Test("Dates at the end of the representable time do not overflow")
    func extremeDatesDoNotOverflow() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            \(targetDurationTag)#EXTINF:604800,
            0
            #EXT-X-PROGRAM-DATE-TIME:1677-09-21T00:13:00Z
            #EXTINF:4,
            1
            #EXT-X-PROGRAM-DATE-TIME:2262-04-11T23:47:16Z
            #EXTINF:4,
            2
            #EXTINF:4,
            3
            """)
        #expect(playlist.segments.map { $0.date != nil } == [false, true, true, false])
    }

    @Test("A bit rate applies to the following segments without a byte range")
    func bitRateAppliesToTheFollowingSegmentsWithoutAByteRange() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            \(targetDurationTag)#EXTINF:4,
            0
            #EXT-X-BITRATE:800
            #EXTINF:4,
            1
            #EXTINF:4,
            #EXT-X-BYTERANGE:1@0
            2
            #EXTINF:4,
            3
            #EXT-X-BITRATE:99999999999999999
            """)
        #expect(playlist.segments.map(\.bitrate) == [nil, 800_000, nil, 800_000])
    }

    @Test("Partial segments, date ranges, unknown tags and stray addresses are ignored")
    func unsupportedTagsAndStrayAddressesAreIgnored() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            \(targetDurationTag)#EXT-X-PART-INF:PART-TARGET=0.5
            #EXT-X-DATERANGE:ID="x",START-DATE="2014-03-05T11:15:00Z",SCTE35-OUT=0xFC00
            stray.ts
            #EXT-X-PART:DURATION=0.5,URI="p0.mp4",INDEPENDENT=YES
            #EXTINF:4,Title, with a comma
            # comment
            #EXT-X-UNKNOWN:"
            0.mp4
            #EXT-X-PART:DURATION=0.5,URI="p1.mp4",BYTERANGE="1@2"
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="p2.mp4"
            #EXT-X-RENDITION-REPORT:URI="../x.m3u8",LAST-MSN=1
            """)
        #expect(playlist.segments.map(\.address.referenceText) == ["0.mp4"])
        #expect(playlist.warnings == [PlaylistError(.invalidAddress("stray.ts"), line: 5)])
    }

    @Test("A media sequence number after a segment is ignored with a warning")
    func sequenceNumberAfterASegmentIsIgnoredWithAWarning() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            targetDurationTag + "#EXTINF:4,\n0\n#EXT-X-MEDIA-SEQUENCE:9\n#EXTINF:4,\n1\n")
        #expect(playlist.segments.map(\.number) == [0, 1])
        #expect(playlist.warnings == [PlaylistError(.misplacedTag("EXT-X-MEDIA-SEQUENCE"), line: 5)])
    }
}
