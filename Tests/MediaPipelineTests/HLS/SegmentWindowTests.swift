import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SegmentWindowTests {
    /// Returns the segment window of a live playlist whose four segments last 4, 0, 3 and 5 seconds.
    private func window() throws -> SegmentWindow {
        SegmentWindow(
            try PlaylistSamples.livePlaylist(10, [4, 0, 3, 5], header: "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:01:40Z"))
    }

    @Test("The position of a segment is the sum of the durations before it")
    func segmentPositionIsTheSumOfTheDurationsBeforeIt() throws {
        let window = try window()
        #expect(window.numbers == 10..<14)
        #expect(window.start == 0 && window.end == 12.seconds)
        #expect(window.times(of: 10) == 0..<4.seconds)
        #expect(window.times(of: 11) == 4.seconds..<4.seconds)
        #expect(window.times(of: 13) == 7.seconds..<12.seconds)
        #expect(window.times(of: 9) == nil && window.times(of: 14) == nil)
        #expect(window.segment(12)?.number == 12)
        #expect(window.segment(.min) == nil && window.segment(.max) == nil)
    }

    @Test("Each position within the window belongs to one segment")
    func eachPositionBelongsToOneSegment() throws {
        let window = try window()
        let expected: [(Int64, Int?)] = [
            (.min, nil), (-1, nil), (0, 10), (4.seconds - 1, 10), (4.seconds, 12), (7.seconds - 1, 12), (7.seconds, 13),
            (12.seconds - 1, 13), (12.seconds, nil), (.max, nil),
        ]
        for (position, number) in expected { #expect(window.segment(at: position)?.number == number) }
    }

    @Test("Positions and dates convert into each other")
    func positionsAndDatesConvertIntoEachOther() throws {
        let window = try window()
        #expect(window.date(at: 0) == 100.seconds)
        #expect(window.date(at: 8.seconds) == 108.seconds)
        #expect(window.date(at: 12.seconds) == 112.seconds)
        #expect(window.date(at: 13.seconds) == nil)
        #expect(window.position(ofDate: 108.seconds) == 8.seconds)
        #expect(window.position(ofDate: 99.seconds) == nil)
        #expect(window.position(ofDate: 112.seconds) == nil)
        #expect(window.position(ofDate: .min) == nil && window.position(ofDate: .max) == nil)
        #expect(SegmentWindow(try PlaylistSamples.livePlaylist(0, [4])).date(at: 0) == nil)
    }

    @Test("A window without segments has no positions or dates")
    func windowWithoutSegmentsHasNoPositionsOrDates() throws {
        let window = SegmentWindow(try PlaylistSamples.livePlaylist(7, []))
        #expect(window.numbers.isEmpty && window.start == 0 && window.end == 0)
        #expect(window.segment(at: 0) == nil && window.date(at: 0) == nil)
        #expect(window.seekableRange == 0..<0 && window.initialPosition() == 0)
    }

    @Test("A search in the longest possible playlist is fast")
    func longestPlaylistIsSearchedQuickly() throws {
        let text = "#EXT-X-ENDLIST\n" + String(repeating: "#EXTINF:1,\na\n", count: 20_000)
        let window = SegmentWindow(try PlaylistSamples.mediaPlaylist(text))
        #expect(window.end == 20_000.seconds)
        #expect(window.segment(at: 12_345.seconds)?.number == 12_345)
    }
}
