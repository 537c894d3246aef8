import Testing

@testable import MediaPipeline

@Suite struct StreamClockTests {
    private static let second: Int64 = 1_000_000_000

    /// Returns the position of segment `number` on the item's timeline, in nanoseconds; each segment lasts 4 s.
    private func segment(_ number: Int64) -> Range<Int64> { number * 4 * Self.second..<(number + 1) * 4 * Self.second }

    @Test func theFirstSegmentCheckpointsAtItsPosition() {
        var clock = StreamClock()
        #expect(
            clock.offset(discontinuity: 0, first: 1_400_000_000, segment: segment(0), wraps: true) == -1_400_000_000)
    }

    @Test("all variants and renditions of a discontinuity number have one offset, so that audio and video stay in sync")
    func oneOffsetForADiscontinuityNumber() {
        var clock = StreamClock()
        let offset = clock.offset(discontinuity: 3, first: 10 * Self.second, segment: segment(1), wraps: true)
        #expect(
            clock.offset(discontinuity: 3, first: 10 * Self.second - 23_000_000, segment: segment(1), wraps: true)
                == offset)
        #expect(clock.offset(discontinuity: 4, first: 0, segment: segment(2), wraps: true) == 8 * Self.second)
    }

    @Test("a clock of 33 bits wraps around without a jump, in both directions", arguments: [1, -1] as [Int64])
    func wrappingClockContinues(direction: Int64) {
        var clock = StreamClock()
        let start = StreamClock.period - 2 * Self.second
        let (first, second) = direction > 0 ? (start, 2 * Self.second) : (2 * Self.second, start)
        let offset = clock.offset(
            discontinuity: 0, first: first, segment: segment(direction > 0 ? 0 : 1), wraps: true)
        let next = clock.offset(discontinuity: 0, first: second, segment: segment(direction > 0 ? 1 : 0), wraps: true)
        #expect(next == offset + direction * StreamClock.period)
    }

    @Test("timestamps of 64 bits do not wrap") func wideClocksDoNotWrap() {
        var clock = StreamClock()
        _ = clock.offset(discontinuity: 0, first: 0, segment: segment(0), wraps: false)
        let far = StreamClock.period
        #expect(clock.offset(discontinuity: 0, first: far, segment: segment(1), wraps: false) == 4 * Self.second - far)
    }

    @Test("a segment that continues the previous one keeps its clock, however far the playlist has drifted")
    func continuousSegmentsKeepTheirClock() {
        var clock = StreamClock(), previous: StreamClock.Continuation?
        // The playlist states 4 s for segments that last 3.84 s, and the clock wraps around during the loop.
        for number in 0..<200 as Range<Int64> {
            let first = (StreamClock.period - 100 * Self.second + number * 3_840_000_000) % StreamClock.period
            let offset = clock.offset(
                discontinuity: 0, first: first, segment: segment(number), wraps: true, continuing: previous)
            #expect(first + offset == number * 3_840_000_000)
            previous = .init(offset: offset, time: (number + 1) * 3_840_000_000)
        }
        // After a seek, the readers of video and audio both place segments by the playlist, with the same offset.
        let first = (StreamClock.period - 100 * Self.second + 150 * 3_840_000_000) % StreamClock.period
        let sought = clock.offset(discontinuity: 0, first: first, segment: segment(150), wraps: true)
        #expect(first + sought == segment(150).lowerBound)
        let sound = clock.offset(
            discontinuity: 0, first: first - 21_000_000, segment: segment(150), wraps: true)
        #expect(sound == sought)
    }

    @Test func aVariantWithAnotherClockFollowsThePlaylist() {
        var clock = StreamClock()
        _ = clock.offset(discontinuity: 0, first: 0, segment: segment(0), wraps: true)
        #expect(
            clock.offset(discontinuity: 0, first: 60 * Self.second, segment: segment(1), wraps: true) == -56
                * Self.second)
        // Segments of the other variants still receive the first offset.
        #expect(clock.offset(discontinuity: 0, first: 4 * Self.second, segment: segment(1), wraps: true) == 0)
    }
}
