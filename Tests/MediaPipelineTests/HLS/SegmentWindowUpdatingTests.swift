import TestSupport
import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct SegmentWindowUpdatingTests {
    @Test("A sliding window keeps the positions of its segments")
    func slidingWindowKeepsThePositionsOfItsSegments() throws {
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(10, [4, 4, 4]))
        let change = window.update(try PlaylistSamples.livePlaylist(11, [4, 4, 3, 2]))
        #expect(change == .advanced(added: 2, removed: 1))
        #expect(window.numbers == 11..<15)
        #expect(window.start == 4.seconds && window.times(of: 13) == 12.seconds..<15.seconds)
        #expect(window.end == 17.seconds)
    }

    @Test("An equal playlist does not change the window, but may end it")
    func equalPlaylistDoesNotChangeTheWindow() throws {
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(10, [4, 4]))
        let change = window.update(try PlaylistSamples.livePlaylist(10, [4, 4]))
        #expect(change == .unchanged && !window.playlist.isComplete)
        let changeAtTheEnd = window.update(try PlaylistSamples.livePlaylist(10, [4, 4], end: "#EXT-X-ENDLIST"))
        #expect(changeAtTheEnd == .unchanged && window.playlist.isComplete)
    }

    @Test("An older playlist is ignored and counted")
    func olderPlaylistIsIgnoredAndCounted() throws {
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(10, [4, 4, 4]))
        let segmentsBefore = window.segments
        let olderChange = window.update(try PlaylistSamples.livePlaylist(9, [4, 4]))
        let emptyChange = window.update(try PlaylistSamples.livePlaylist(9, []))
        #expect(olderChange == .wentBackwards(by: 2) && emptyChange == .wentBackwards(by: 3))
        #expect(window.segments == segmentsBefore && window.staleReloadCount == 2)
        let newerChange = window.update(try PlaylistSamples.livePlaylist(11, [4, 4, 4]))
        #expect(newerChange == .advanced(added: 1, removed: 1) && window.staleReloadCount == 0)
    }

    @Test("After a restart of the server, the window continues with a new discontinuity")
    func windowContinuesAfterARestartOfTheServer() throws {
        var window = SegmentWindow(
            try PlaylistSamples.livePlaylist(100, [4, 4], header: "#EXT-X-DISCONTINUITY-SEQUENCE:5"))
        let restartedPlaylist = try PlaylistSamples.livePlaylist(0, [4, 4])
        let change = window.update(restartedPlaylist)
        #expect(change == .reset && window.numbers == 100..<102)
        window.restart(with: restartedPlaylist)
        #expect(window.numbers == 0..<2 && window.start == 8.seconds && window.end == 16.seconds)
        #expect(window.segments.map(\.discontinuity) == [6, 6])
    }

    @Test("The duration of missed segments is estimated from the mean duration")
    func missedSegmentsAreEstimatedByTheMeanDuration() throws {
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(10, [4, 4]))
        let change = window.update(try PlaylistSamples.livePlaylist(15, [3, 5]))
        #expect(change == .jumped(missing: 3))
        #expect(window.times(of: 15) == 20.seconds..<23.seconds)
    }

    @Test("The duration of missed segments is the difference of the dates, if the segments have dates")
    func missedSegmentsAreMeasuredByTheDifferenceOfDates() throws {
        var window = SegmentWindow(
            try PlaylistSamples.livePlaylist(10, [4, 4], header: "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00Z"))
        _ = window.update(
            try PlaylistSamples.livePlaylist(15, [4], header: "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:19Z"))
        #expect(window.start == 19.seconds)
    }

    @Test("A playlist that follows the window directly has no gap")
    func directlyFollowingPlaylistHasNoGap() throws {
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(10, [4, 4]))
        let change = window.update(try PlaylistSamples.livePlaylist(12, [4]))
        #expect(change == .advanced(added: 1, removed: 2))
        #expect(window.start == 8.seconds)
    }

    @Test("A segment keeps its duration when the server corrects it")
    func segmentWhoseDurationTheServerCorrectsKeepsItsDuration() throws {
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(10, [4, 4]))
        _ = window.update(try PlaylistSamples.livePlaylist(10, [4, 9, 4]))
        #expect(window.times(of: 11) == 4.seconds..<8.seconds && window.times(of: 12) == 8.seconds..<12.seconds)
    }

    @Test("Segments that reappear before the window have earlier positions")
    func reappearingSegmentsHaveEarlierPositions() throws {
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(10, [4, 4]))
        let change = window.update(try PlaylistSamples.livePlaylist(8, [3, 2, 4, 4]))
        #expect(change == .unchanged)
        #expect(window.start == -5.seconds && window.times(of: 10) == 0..<4.seconds)
    }

    @Test("Discontinuity numbers are unchanged, even if the server does not count removed discontinuities")
    func discontinuityNumbersStayWhenSegmentsAreRemoved() throws {
        let segments = ["a", "#D b", "c", "#D d", "e"]
        func playlist(_ range: Range<Int>) throws -> MediaPlaylist {
            let text = segments[range].map {
                ($0.hasPrefix("#D ") ? "#EXT-X-DISCONTINUITY\n" : "") + "#EXTINF:4,\n\($0.suffix(1))\n"
            }
            return try PlaylistSamples.mediaPlaylist("#EXT-X-MEDIA-SEQUENCE:\(range.lowerBound)\n" + text.joined())
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
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(10, []))
        let emptyChange = window.update(try PlaylistSamples.livePlaylist(10, []))
        let change = window.update(try PlaylistSamples.livePlaylist(10, [4, 4]))
        #expect(emptyChange == .unchanged && change == .advanced(added: 2, removed: 0))
        #expect(window.start == 0 && window.end == 8.seconds)
    }

    @Test("Extreme sequences of playlists never overflow")
    func extremePlaylistsNeverOverflow() throws {
        let largestNumber = PlaylistLimits.largestSequenceNumber
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(0, [604_800]))
        for firstNumber in [largestNumber - 1, 1, largestNumber, 5, largestNumber] {
            let header = "#EXT-X-DISCONTINUITY-SEQUENCE:\(largestNumber)\n#EXT-X-DISCONTINUITY"
            let playlist = try PlaylistSamples.livePlaylist(firstNumber, [604_800, 604_800], header: header)
            if window.update(playlist) == .reset { window.restart(with: playlist) }
            #expect(window.start <= window.end && window.seekableRange.lowerBound == window.start)
        }
    }

    @Test("Random reloads never move a segment on the timeline")
    func randomReloadsNeverMoveASegment() throws {
        var random = SeededGenerator.printingSeed()
        let durations = (0..<300).map { _ in Int.random(in: 0...9, using: &random) }
        func playlist(_ range: Range<Int>) throws -> MediaPlaylist {
            try PlaylistSamples.livePlaylist(range.lowerBound, Array(durations[range]))
        }
        var expected: [Int64] = [0]
        for duration in durations { expected.append((expected.last ?? 0) + duration.seconds) }
        var range = 0..<5
        var window = SegmentWindow(try playlist(range))
        while range.upperBound < durations.count {
            let start = Int.random(in: range.lowerBound..<range.upperBound, using: &random)
            let end = Int.random(in: max(start, range.lowerBound) + 1...range.upperBound + 3, using: &random)
            let nextRange = start..<min(end, durations.count)
            let change = window.update(try playlist(nextRange))
            if nextRange.upperBound < range.upperBound {
                #expect(change == .wentBackwards(by: range.upperBound - nextRange.upperBound))
            } else {
                range = nextRange
            }
            #expect(window.numbers == range)
            for number in range { #expect(window.times(of: number) == expected[number]..<expected[number + 1]) }
        }
    }
}
