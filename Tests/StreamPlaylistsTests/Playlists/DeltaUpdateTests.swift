import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct DeltaUpdateTests {
    /// A complete media playlist.
    private let fullPlaylist = """
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:10
        #EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=24
        #EXT-X-MAP:URI="i.mp4"
        #EXT-X-KEY:METHOD=AES-128,URI="k"
        #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:10Z
        #EXTINF:4,
        #EXT-X-BYTERANGE:10@0
        a.mp4
        #EXT-X-DISCONTINUITY
        #EXTINF:3,
        #EXT-X-BYTERANGE:10
        a.mp4

        """
    /// The lines of a segment that a later update of the playlist adds.
    private let addedSegment = "#EXTINF:4,\n#EXT-X-BYTERANGE:10\na.mp4\n"

    /// Parses a delta update of a playlist.
    ///
    /// - Parameters:
    ///   - firstNumber: The number of the first segment of the playlist.
    ///   - skippedCount: The number of segments that the update omits.
    ///   - previousSegments: The segments of the previous playlist.
    private func deltaUpdate(
        _ firstNumber: Int, _ skippedCount: Int, previousSegments: [MediaSegment]
    ) throws(PlaylistError) -> MediaPlaylist {
        try PlaylistSamples.mediaPlaylist(
            "#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(firstNumber)\n"
                + "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skippedCount),RECENTLY-REMOVED-DATERANGES=\"\"\n\(addedSegment)",
            previousSegments: previousSegments)
    }

    @Test("A delta update equals the full playlist")
    func deltaUpdateEqualsTheFullPlaylist() throws {
        let previousSegments = try PlaylistSamples.mediaPlaylist(fullPlaylist).segments
        let fullUpdate = try PlaylistSamples.mediaPlaylist(fullPlaylist + addedSegment)
        #expect(try deltaUpdate(10, 2, previousSegments: previousSegments).segments == fullUpdate.segments)
        #expect(
            try deltaUpdate(11, 1, previousSegments: previousSegments).segments
                == Array(fullUpdate.segments.dropFirst()))
        #expect(fullUpdate.segments.map(\.date) == [10, 14, 17].map(\.seconds))
        #expect(fullUpdate.segments.map(\.discontinuity) == [0, 1, 1])
    }

    @Test(
        "A delta update that omits unknown segments is an error, so that the player loads the whole playlist",
        arguments: [(9, 2), (10, 3), (12, 1), (11, 2), (10, Int.max)])
    func deltaUpdateThatSkipsUnknownSegmentsIsAnError(_ firstNumber: Int, _ skippedCount: Int) throws {
        let previousSegments = try PlaylistSamples.mediaPlaylist(fullPlaylist).segments
        let error = PlaylistError(.unknownSkippedSegments, line: 4)
        #expect(throws: error) { try deltaUpdate(firstNumber, skippedCount, previousSegments: previousSegments) }
        #expect(throws: error) { try deltaUpdate(firstNumber, skippedCount, previousSegments: []) }
    }

    @Test("A delta update that omits no segments equals a full playlist")
    func deltaUpdateWithoutSkippedSegmentsIsAFullPlaylist() throws {
        let playlist = try PlaylistSamples.mediaPlaylist("#EXT-X-SKIP:SKIPPED-SEGMENTS=0\n#EXTINF:4,\na\n")
        #expect(playlist.segments.map(\.number) == [0])
    }

    @Test("A malformed delta update is an error")
    func malformedDeltaUpdateIsAnError() {
        #expect(
            PlaylistSamples.mediaError("#EXT-X-SKIP:X=1\n")
                == PlaylistError(.missingAttribute(tag: "EXT-X-SKIP", name: "SKIPPED-SEGMENTS"), line: 2))
        #expect(
            PlaylistSamples.mediaError("#EXTINF:4,\na\n#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n")
                == PlaylistError(.misplacedTag("EXT-X-SKIP"), line: 4))
    }
}
