import TestSupport
import Testing

@testable import MediaPipeline

/// Tests live DASH streams: the playlists built from their manifests, and playback from a real HTTP server.
@Suite struct LivePresentationTests {
    private typealias Samples = ManifestSamples

    /// Returns a live presentation with segments of 2 s, which became available 1000 s after the start of 1970. Its
    /// period starts at 10 s.
    private func presentation(_ segments: String, _ attributes: String = "") throws -> MediaPresentation {
        try Samples.presentation(
            "<Period id='p' start='PT10S'>\(Samples.video(segments))</Period>",
            #"type="dynamic" availabilityStartTime="1970-01-01T00:16:40Z" \#(attributes)"#)
    }

    /// Returns a segment timeline of `count` segments of 2 s, the first of which starts at `start` seconds.
    private func timeline(start: Int, count: Int) -> String {
        "<SegmentTemplate media='$Time$'><SegmentTimeline><S t='\(start)' d='2' r='\(count - 1)'/></SegmentTimeline>"
            + "</SegmentTemplate>"
    }

    @Test("segments with numbers become available once they are complete, for the time that the manifest states")
    func numberedSegmentsAreAvailableOnceComplete() throws {
        let livePresentation = try presentation(
            "<SegmentTemplate duration='2' startNumber='5' media='$Number$'/>",
            #"timeShiftBufferDepth="PT6S" suggestedPresentationDelay="PT3S""#)
        let playlist = try Samples.playlist(livePresentation, now: 25.seconds - 1)
        // 15 s of the period have passed. Segments that ended in its first 9 s are no longer available.
        #expect(playlist.segments.map(\.address.referenceText) == ["9", "10", "11"])
        #expect(playlist.segments.map(\.date) == [1018, 1020, 1022].map { $0.seconds })
        #expect(!playlist.isComplete && playlist.targetDuration == 2.seconds)
        #expect(SegmentWindow(playlist).holdBack == 3.seconds)
        #expect(try Samples.playlist(livePresentation, now: 11.seconds).segments.isEmpty)
        #expect(try Samples.playlist(livePresentation, now: 5.seconds).segments.isEmpty)
    }

    @Test("availabilityTimeOffset makes segments available earlier, unless they are incomplete then")
    func availabilityOffsetMakesSegmentsAvailableEarlier() throws {
        let template = "<SegmentTemplate duration='2' media='$Number$' availabilityTimeOffset='1.5'"
        #expect(try Samples.playlist(try presentation(template + "/>"), now: 12_600_000_000).segments.count == 2)
        let incompleteTemplate = template + " availabilityTimeComplete='false'/>"
        #expect(try Samples.playlist(try presentation(incompleteTemplate), now: 12_600_000_000).segments.count == 1)
    }

    @Test("segments keep their numbers and positions when the manifest changes")
    func segmentsKeepTheirNumbers() throws {
        let firstPlaylist = try Samples.playlist(try presentation(timeline(start: 0, count: 4)), now: 20.seconds)
        var window = SegmentWindow(firstPlaylist)
        let secondPlaylist = try Samples.playlist(
            try presentation(timeline(start: 4, count: 4)), now: 24.seconds, previousSegments: window.segments)
        #expect(secondPlaylist.segments.map(\.number) == [2, 3, 4, 5])
        #expect(window.update(secondPlaylist) == .advanced(added: 2, removed: 2))
        #expect(window.start == 4.seconds && window.segments.last?.address.referenceText == "10")
        // The player was paused meanwhile: two segments were added and removed before it loaded the manifest.
        let thirdPlaylist = try Samples.playlist(
            try presentation(timeline(start: 16, count: 2)), now: 32.seconds, previousSegments: window.segments)
        #expect(window.update(thirdPlaylist) == .jumped(missing: 2) && window.start == 16.seconds)
        // A cache serves an outdated manifest.
        let outdatedPlaylist = try Samples.playlist(
            try presentation(timeline(start: 0, count: 2)), now: 20.seconds, previousSegments: window.segments)
        #expect(window.update(outdatedPlaylist) == .reset)
    }

    @Test("a presentation that ends keeps its segments") func endedPresentationKeepsItsSegments() throws {
        var window = SegmentWindow(
            try Samples.playlist(try presentation(timeline(start: 2, count: 4)), now: 20.seconds))
        let endedPresentation = try Samples.presentation(
            "<Period id='p' start='PT10S' duration='PT12S'>\(Samples.video(timeline(start: 2, count: 5)))</Period>",
            #"type="static" availabilityStartTime="1970-01-01T00:16:40Z" mediaPresentationDuration="PT22S""#)
        let lastPlaylist = try Samples.playlist(endedPresentation, previousSegments: window.segments)
        #expect(lastPlaylist.isComplete && window.update(lastPlaylist) == .advanced(added: 1, removed: 0))
        #expect(window.end == 10.seconds)
    }

    @Test("a live presentation without updates ends after its duration")
    func livePresentationEndsAfterItsDuration() throws {
        let livePresentation = try presentation(
            "<SegmentTemplate duration='2' media='$Number$'/>", #"mediaPresentationDuration="PT15S""#)
        let playlistBeforeTheEnd = try Samples.playlist(livePresentation, now: 15.seconds - 1),
            playlistAtTheEnd = try Samples.playlist(livePresentation, now: 15.seconds)
        #expect(playlistBeforeTheEnd.segments.count == 2 && !playlistBeforeTheEnd.isComplete)
        #expect(playlistAtTheEnd.segments.count == 3 && playlistAtTheEnd.isComplete)
        #expect(playlistAtTheEnd.segments.last?.duration == 1.seconds)
    }

    /// Returns the numbers of all remaining frames.
    private func frameNumbers(_ reader: MediaReader) throws -> [Int?] {
        var numbers: [Int?] = []
        while let frame = try reader.next() { numbers.append(frameNumber(of: frame)) }
        return numbers
    }

    @Test("a live stream with a timeline is followed to its end, and each segment is played once")
    func liveStreamWithATimelineIsPlayedToItsEnd() throws {
        let server = try LinkServer(
            try Fixtures.path("dash"),
            #"{"manifest": {"path": "timeline.mpd", "start": 6.1, "speed": 4, "delay": 2, "window": 8}}"#)
        let reader = try MediaReader(server.address + "/timeline.mpd")
        #expect(try frameNumbers(reader) == Array(120..<360))
        #expect(server.paths.count { $0 == "/timeline.mpd" } >= 2)
    }

    @Test(
        "a live stream with numbers follows the clock of the server",
        arguments: [#""clock": "direct""#, #""clock": "head""#, #""speed": 1"#])
    func numberedLiveStreamFollowsTheServerClock(clock: String) throws {
        let server = try LinkServer(
            try Fixtures.path("dash"),
            "{\"manifest\": {\"path\": \"number.mpd\", \"start\": 11.2, \"skew\": 5000, \"delay\": 2, \(clock)}}")
        let reader = try MediaReader(server.address + "/number.mpd")
        #expect(try frameNumbers(reader) == Array(240..<360))
        #expect(server.paths.contains("/clock") == clock.contains("head"))
        #expect(server.requests.allSatisfy { $0.status ?? 0 < 300 })
    }
}
