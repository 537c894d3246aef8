import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct MediaPlaylistErrorTests {
    @Test(
        "A malformed value is an error that states the line number",
        arguments: [
            ("EXTINF:", ""), ("EXTINF:,", ","), ("EXTINF:-1,", "-1,"), ("EXTINF:1e30,", "1e30,"),
            ("EXTINF:99999999999999999999,", "99999999999999999999,"), ("EXTINF:604801,", "604801,"),
            ("EXTINF:NaN,", "NaN,"), ("EXT-X-TARGETDURATION:x", "x"), ("EXT-X-TARGETDURATION:-4", "-4"),
            ("EXT-X-MEDIA-SEQUENCE:-1", "-1"), ("EXT-X-MEDIA-SEQUENCE:9223372036854775807", "9223372036854775807"),
            ("EXT-X-DISCONTINUITY-SEQUENCE:18446744073709551615", "18446744073709551615"),
            ("EXT-X-BYTERANGE:@5", "@5"), ("EXT-X-BYTERANGE:5@", "5@"), ("EXT-X-BYTERANGE:5@x", "5@x"),
            ("EXT-X-BYTERANGE:99999999999999999999@0", "99999999999999999999@0"),
        ])
    func malformedValueIsAnErrorWithItsLine(_ tag: String, _ value: String) {
        let name = String(tag.prefix { $0 != ":" })
        let error = PlaylistError(.invalidValue(tag: name, text: value), line: 3)
        #expect(PlaylistSamples.mediaError("#EXT-X-ENDLIST\n#\(tag)\n#EXTINF:4,\na\n") == error)
    }

    @Test(
        "A byte range of no bytes, or beyond the largest offset, is an error",
        arguments: ["0@0", "1@9223372036854775807"])
    func impossibleByteRangeIsAnError(_ text: String) {
        let error = PlaylistError(.invalidValue(tag: "EXT-X-BYTERANGE", text: text), line: 4)
        #expect(PlaylistSamples.mediaError("#EXTINF:4,\n#EXT-X-BYTERANGE:\(text)\na\n") == error)
    }

    @Test(
        "A malformed initialization section is an error",
        arguments: [
            ("BYTERANGE=\"1@0\"", PlaylistError.Reason.missingAttribute(tag: "EXT-X-MAP", name: "URI")),
            ("URI=\"a\",BYTERANGE=\"0@0\"", .invalidValue(tag: "EXT-X-MAP", text: "0@0")),
            ("URI=\"a\",BYTERANGE=\"x\"", .invalidValue(tag: "EXT-X-MAP", text: "x")),
            ("URI=\"\"", .invalidAddress("")), ("URI=\"file:///x\"", .refusedScheme("file")),
        ])
    func malformedInitializationSectionIsAnError(_ attributes: String, _ reason: PlaylistError.Reason) {
        #expect(PlaylistSamples.mediaError("#EXT-X-MAP:\(attributes)\n") == PlaylistError(reason, line: 2))
    }

    @Test("A segment of a local file in a playlist from the network is refused")
    func localSegmentInANetworkPlaylistIsRefused() {
        let text = "#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile:///etc/passwd\n"
        #expect(PlaylistSamples.mediaError(text) == PlaylistError(.refusedScheme("file"), line: 4))
        #expect(PlaylistSamples.mediaError(text, address: "file:///x.m3u8") == nil)
    }

    @Test("The number of segments is limited")
    func numberOfSegmentsIsLimited() {
        var limits = PlaylistLimits()
        limits.segments = 2
        let segment = "#EXTINF:4,\na\n"
        let text = "#EXT-X-ENDLIST\n" + segment + segment
        #expect(PlaylistSamples.mediaError(text, limits: limits) == nil)
        let error = PlaylistError(.tooManySegments(limit: 2), line: 8)
        #expect(PlaylistSamples.mediaError(text + segment, limits: limits) == error)
    }

    @Test("The sum of the durations is limited")
    func sumOfDurationsIsLimited() throws {
        let text = "#EXT-X-ENDLIST\n" + String(repeating: "#EXTINF:604800,\na\n", count: 4_000)
        #expect(PlaylistSamples.mediaError(text)?.reason == .tooLong)
    }

    @Test("Ten thousand repeated tags are parsed, and the number of warnings is limited")
    func warningsAboutRepeatedTagsAreLimited() throws {
        var text = "#EXT-X-TARGETDURATION:4\n"
        for number in 0..<10_000 {
            text += "#EXT-X-DISCONTINUITY\n#EXT-X-KEY:METHOD=X,KEYFORMAT=\"\(number)\"\n"
            text += "#EXT-X-PROGRAM-DATE-TIME:x\n"
        }
        let playlist = try PlaylistSamples.mediaPlaylist(text + "#EXTINF:4,\na\n")
        #expect(playlist.segments.first?.discontinuity == 10_000)
        #expect(playlist.segments.first?.key?.format == "0")
        #expect(playlist.warnings.count == 16)
    }
}
