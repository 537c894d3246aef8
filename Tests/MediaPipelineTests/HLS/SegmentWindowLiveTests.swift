import TestSupport
import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct SegmentWindowLiveTests {
    /// Returns the segment window of a live playlist with `count` segments of four seconds.
    private func liveWindow(_ header: String = "", count: Int = 6, end: String = "") throws -> SegmentWindow {
        SegmentWindow(
            try PlaylistSamples.livePlaylist(0, [Int](repeating: 4, count: count), header: header, end: end))
    }

    @Test("A live stream starts three target durations before its end, at a segment")
    func liveStreamStartsThreeTargetDurationsBeforeItsEnd() throws {
        let window = try liveWindow()
        #expect(window.seekableRange == 0..<12.seconds)
        #expect(window.initialPosition() == 12.seconds)
        #expect(try liveWindow(count: 2).seekableRange == 0..<0)
        #expect(try liveWindow(count: 2).initialPosition() == 0)
    }

    @Test("The attribute HOLD-BACK replaces the three target durations")
    func holdBackAttributeDeterminesTheLiveStart() throws {
        let window = try liveWindow("#EXT-X-SERVER-CONTROL:HOLD-BACK=14.5")
        #expect(window.seekableRange == 0..<9_500_000_000)
        #expect(window.initialPosition() == 8.seconds)
        #expect(try liveWindow("#EXT-X-SERVER-CONTROL:HOLD-BACK=9223372036").seekableRange == 0..<0)
    }

    @Test("A complete playlist starts at its start and is seekable to its end")
    func completePlaylistStartsAtItsStart() throws {
        let window = try liveWindow(end: "#EXT-X-ENDLIST")
        #expect(window.seekableRange == 0..<24.seconds && window.initialPosition() == 0)
    }

    @Test(
        "The preferred start counts from the start or the end, stays in the seekable range and may be precise",
        arguments: [
            ("9", 8), ("9,PRECISE=YES", 9), ("-9", 12), ("-20", 4), ("-19.5,PRECISE=NO", 4), ("1000", 20),
            ("-1000", 0), ("0", 0), ("9223372036", 20), ("-9223372036", 0),
        ])
    func preferredStartStaysInTheSeekableRange(_ text: String, _ position: Int) throws {
        let isAfterTheLiveStart = position == 20 || text == "-9"
        let completeWindow = try liveWindow("#EXT-X-START:TIME-OFFSET=\(text)", end: "#EXT-X-ENDLIST")
        #expect(completeWindow.initialPosition() == position.seconds)
        let window = try liveWindow("#EXT-X-START:TIME-OFFSET=\(text)")
        #expect(window.initialPosition() == (isAfterTheLiveStart ? 12 : position).seconds)
    }

    @Test("The offset that the program chooses takes precedence, and is limited to the window")
    func preferredOffsetTakesPrecedence() throws {
        let window = try liveWindow("#EXT-X-START:TIME-OFFSET=4")
        #expect(window.initialPosition(offset: 9.seconds) == 12.seconds)
        #expect(window.livePosition(offset: 9.seconds) == 15.seconds && window.livePosition() == 12.seconds)
        #expect(window.livePosition(offset: .max) == 0 && window.livePosition(offset: -1) == 24.seconds)
        #expect(window.initialPosition(offset: 0) == 20.seconds)
        let endedWindow = try liveWindow(end: "#EXT-X-ENDLIST")
        #expect(endedWindow.livePosition(offset: 9.seconds) == 24.seconds)
        #expect(endedWindow.initialPosition(offset: 9.seconds) == 0)
    }

    @Test("Playback that fell behind continues at a segment that stays in the playlist for some time")
    func rejoinPositionStaysInThePlaylistForSomeTime() throws {
        // In a short window, playback rejoins at the newest position that may be played.
        #expect(try liveWindow().rejoinPosition == 12.seconds)
        #expect(try liveWindow(count: 5).rejoinPosition == 8.seconds)
        #expect(try liveWindow(count: 100).rejoinPosition == 12.seconds)
        #expect(try liveWindow("#EXT-X-SERVER-CONTROL:HOLD-BACK=14.5", count: 100).rejoinPosition == 12.seconds)
        #expect(try liveWindow(count: 2).rejoinPosition == 0)
    }

    @Test(
        "Playback is behind if more than one segment is missing before the window",
        arguments: [
            (Int?.none, -5, true), (nil, -4, false), (nil, 3, false), (nil, 1000, false), (9, -5, true), (9, -4, false),
            (10, -5, false), (1000, -1000, false),
        ])
    func playbackBehindTheWindowIsDetected(_ number: Int?, _ time: Int, _ hasFallenBehind: Bool) throws {
        let window = SegmentWindow(try PlaylistSamples.livePlaylist(10, [4, 4, 4]))
        #expect(window.hasFallenBehind(number, time.seconds) == hasFallenBehind)
        #expect(window.hasFallenBehind(number, .min) == (number ?? 0 < 10))
        #expect(!SegmentWindow(try PlaylistSamples.livePlaylist(10, [])).hasFallenBehind(number, time.seconds))
    }

    @Test("The start of the media playlist takes precedence over the start of the multivariant playlist")
    func startTagOfTheMediaPlaylistTakesPrecedence() throws {
        let preferredStart = PlaylistStart(offset: 4.seconds, isPrecise: true)
        #expect(try liveWindow().initialPosition(preferred: preferredStart) == 4.seconds)
        #expect(try liveWindow("#EXT-X-START:TIME-OFFSET=8").initialPosition(preferred: preferredStart) == 8.seconds)
    }

    @Test("A playlist is reloaded after its target duration, or after half of it without a new segment")
    func reloadIntervalIsTheTargetDurationOrHalfOfIt() throws {
        let window = try liveWindow()
        #expect(window.reloadInterval(after: nil) == 4.seconds)
        #expect(window.reloadInterval(after: .advanced(added: 1, removed: 1)) == 4.seconds)
        #expect(window.reloadInterval(after: .jumped(missing: 3)) == 4.seconds)
        #expect(window.reloadInterval(after: .unchanged) == 2.seconds)
        #expect(window.reloadInterval(after: .advanced(added: 0, removed: 1)) == 2.seconds)
        #expect(window.reloadInterval(after: .wentBackwards(by: 1)) == 2.seconds)
        #expect(window.stuckInterval == 14.seconds)
        let windowOfInvalidPlaylist = SegmentWindow(try PlaylistSamples.livePlaylist(0, [0], target: 0))
        #expect(windowOfInvalidPlaylist.reloadInterval(after: .unchanged) == 500_000_000)
    }

    @Test("The timelines of renditions are aligned by the dates of the segments")
    func renditionsAreAlignedByTheirDates() throws {
        let videoWindow = try liveWindow("#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:01:40Z")
        let audioPlaylist = try PlaylistSamples.livePlaylist(
            70, [5, 5], header: "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:01:43Z")
        #expect(SegmentWindow(audioPlaylist, alignedWith: videoWindow).times(of: 71) == 8.seconds..<13.seconds)
    }

    @Test("Renditions without dates are aligned by their numbers")
    func renditionsWithoutDatesAreAlignedByTheirNumbers() throws {
        let videoWindow = try liveWindow()
        let window = SegmentWindow(try PlaylistSamples.livePlaylist(4, [4, 4, 4]), alignedWith: videoWindow)
        #expect(window.start == 16.seconds)
        let earlierWindow = SegmentWindow(try PlaylistSamples.livePlaylist(0, [4, 4, 4]), alignedWith: window)
        #expect(earlierWindow.end == window.end)
    }

    @Test("Renditions without dates and without common numbers are aligned by their ends")
    func renditionsWithoutCommonNumbersAreAlignedByTheirEnds() throws {
        let window = SegmentWindow(try PlaylistSamples.livePlaylist(900, [4, 4]), alignedWith: try liveWindow())
        #expect(window.start == 16.seconds && window.end == 24.seconds)
    }

    @Test("The timelines of complete renditions start together")
    func completeRenditionsHaveACommonStart() throws {
        let videoWindow = try liveWindow(end: "#EXT-X-ENDLIST")
        let audioPlaylist = try PlaylistSamples.livePlaylist(9, [5, 5], end: "#EXT-X-ENDLIST")
        #expect(SegmentWindow(audioPlaylist, alignedWith: videoWindow).start == 0)
        #expect(SegmentWindow(try PlaylistSamples.livePlaylist(9, []), alignedWith: try liveWindow()).start == 0)
    }
}
