import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SegmentWindowUpdatingTests {
    @Test("A sliding window keeps the positions of its segments")
    func slidingWindowKeepsThePositionsOfItsSegments() throws {
        var window = SegmentWindow(try PlaylistSamples.live(10, [4, 4, 4]))
        let change = window.update(try PlaylistSamples.live(11, [4, 4, 3, 2]))
        #expect(change == .advanced(added: 2, removed: 1))
        #expect(window.numbers == 11..<15)
        #expect(window.start == 4.seconds && window.times(of: 13) == 12.seconds..<15.seconds)
        #expect(window.end == 17.seconds)
    }

    @Test("The same playlist is unchanged, also when it ends")
    func equalPlaylistChangesNothing() throws {
        var window = SegmentWindow(try PlaylistSamples.live(10, [4, 4]))
        let change = window.update(try PlaylistSamples.live(10, [4, 4]))
        #expect(change == .unchanged && !window.playlist.isComplete)
        let ended = window.update(try PlaylistSamples.live(10, [4, 4], end: "#EXT-X-ENDLIST"))
        #expect(ended == .unchanged && window.playlist.isComplete)
    }

    @Test("An older playlist leaves the window unchanged and is counted")
    func olderPlaylistIsIgnoredAndCounted() throws {
        var window = SegmentWindow(try PlaylistSamples.live(10, [4, 4, 4]))
        let before = window.segments
        let older = window.update(try PlaylistSamples.live(9, [4, 4]))
        let empty = window.update(try PlaylistSamples.live(9, []))
        #expect(older == .wentBackwards(by: 2) && empty == .wentBackwards(by: 3))
        #expect(window.segments == before && window.staleReloadCount == 2)
        let newer = window.update(try PlaylistSamples.live(11, [4, 4, 4]))
        #expect(newer == .advanced(added: 1, removed: 1) && window.staleReloadCount == 0)
    }

    @Test("A restarted server is followed on request, with a new clock")
    func restartedServerIsFollowedWithANewClock() throws {
        var window = SegmentWindow(try PlaylistSamples.live(100, [4, 4], header: "#EXT-X-DISCONTINUITY-SEQUENCE:5"))
        let restarted = try PlaylistSamples.live(0, [4, 4])
        let change = window.update(restarted)
        #expect(change == .reset && window.numbers == 100..<102)
        window.restart(with: restarted)
        #expect(window.numbers == 0..<2 && window.start == 8.seconds && window.end == 16.seconds)
        #expect(window.segments.map(\.discontinuity) == [6, 6])
    }

    @Test("Missed segments count with the mean duration")
    func missedSegmentsAreEstimatedByTheMeanDuration() throws {
        var window = SegmentWindow(try PlaylistSamples.live(10, [4, 4]))
        let change = window.update(try PlaylistSamples.live(15, [3, 5]))
        #expect(change == .jumped(missing: 3))
        #expect(window.times(of: 15) == 20.seconds..<23.seconds)
    }

    @Test("Missed segments count with the difference of the dates if there are any")
    func missedSegmentsAreMeasuredByTheDifferenceOfDates() throws {
        var window = SegmentWindow(
            try PlaylistSamples.live(10, [4, 4], header: "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00Z"))
        _ = window.update(try PlaylistSamples.live(15, [4], header: "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:19Z"))
        #expect(window.start == 19.seconds)
    }

    @Test("A playlist that follows the window directly has no gap")
    func directlyFollowingPlaylistHasNoGap() throws {
        var window = SegmentWindow(try PlaylistSamples.live(10, [4, 4]))
        let change = window.update(try PlaylistSamples.live(12, [4]))
        #expect(change == .advanced(added: 1, removed: 2))
        #expect(window.start == 8.seconds)
    }

    @Test("A segment keeps its duration when the server corrects it")
    func segmentWhoseDurationTheServerCorrectsKeepsItsDuration() throws {
        var window = SegmentWindow(try PlaylistSamples.live(10, [4, 4]))
        _ = window.update(try PlaylistSamples.live(10, [4, 9, 4]))
        #expect(window.times(of: 11) == 4.seconds..<8.seconds && window.times(of: 12) == 8.seconds..<12.seconds)
    }

    @Test("Segments that reappear before the window have earlier positions")
    func reappearingSegmentsHaveEarlierPositions() throws {
        var window = SegmentWindow(try PlaylistSamples.live(10, [4, 4]))
        let change = window.update(try PlaylistSamples.live(8, [3, 2, 4, 4]))
        #expect(change == .unchanged)
        #expect(window.start == -5.seconds && window.times(of: 10) == 0..<4.seconds)
    }

    @Test("Discontinuity numbers stay, even if the server does not count removed ones")
    func discontinuityNumbersStayWhenSegmentsAreRemoved() throws {
        let segments = ["a", "#D b", "c", "#D d", "e"]
        func playlist(_ range: Range<Int>) throws -> MediaPlaylist {
            let text = segments[range].map {
                ($0.hasPrefix("#D ") ? "#EXT-X-DISCONTINUITY\n" : "") + "#EXTINF:4,\n\($0.suffix(1))\n"
            }
            return try PlaylistSamples.media("#EXT-X-MEDIA-SEQUENCE:\(range.lowerBound)\n" + text.joined())
        }
        var window = SegmentWindow(try playlist(0..<3))
        #expect(window.segments.map(\.discontinuity) == [0, 1, 1])
        _ = window.update(try playlist(2..<4))
        #expect(window.segments.map(\.discontinuity) == [1, 2])
        _ = window.update(try playlist(3..<5))
        #expect(window.segments.map(\.discontinuity) == [2, 2])
    }

    @Test("An empty window takes the first segments that appear")
    func emptyWindowTakesTheFirstSegments() throws {
        var window = SegmentWindow(try PlaylistSamples.live(10, []))
        let empty = window.update(try PlaylistSamples.live(10, []))
        let change = window.update(try PlaylistSamples.live(10, [4, 4]))
        #expect(empty == .unchanged && change == .advanced(added: 2, removed: 0))
        #expect(window.start == 0 && window.end == 8.seconds)
    }

    @Test("Hostile sequences of playlists never overflow")
    func extremePlaylistsNeverOverflow() throws {
        let largest = PlaylistLimits.largestSequenceNumber
        var window = SegmentWindow(try PlaylistSamples.live(0, [604_800]))
        for first in [largest - 1, 1, largest, 5, largest] {
            let header = "#EXT-X-DISCONTINUITY-SEQUENCE:\(largest)\n#EXT-X-DISCONTINUITY"
            let playlist = try PlaylistSamples.live(first, [604_800, 604_800], header: header)
            if window.update(playlist) == .reset { window.restart(with: playlist) }
            #expect(window.start <= window.end && window.seekableRange.lowerBound == window.start)
        }
    }

    @Test("Random reloads never move a segment on the timeline")
    func randomReloadsNeverMoveASegment() throws {
        var random = SeededGenerator.printingSeed()
        let durations = (0..<300).map { _ in Int.random(in: 0...9, using: &random) }
        func playlist(_ range: Range<Int>) throws -> MediaPlaylist {
            try PlaylistSamples.live(range.lowerBound, Array(durations[range]))
        }
        var expected: [Int64] = [0]
        for duration in durations { expected.append((expected.last ?? 0) + duration.seconds) }
        var range = 0..<5
        var window = SegmentWindow(try playlist(range))
        while range.upperBound < durations.count {
            let first = Int.random(in: range.lowerBound..<range.upperBound, using: &random)
            let end = Int.random(in: max(first, range.lowerBound) + 1...range.upperBound + 3, using: &random)
            let next = first..<min(end, durations.count)
            let change = window.update(try playlist(next))
            if next.upperBound < range.upperBound {
                #expect(change == .wentBackwards(by: range.upperBound - next.upperBound))
            } else {
                range = next
            }
            #expect(window.numbers == range)
            for number in range { #expect(window.times(of: number) == expected[number]..<expected[number + 1]) }
        }
    }
}
