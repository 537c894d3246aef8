import Testing

@testable import MediaPipeline

@Suite struct StreamClockTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000

    /// Returns the position of segment `number` on the item's timeline, in nanoseconds; each segment lasts 4 s.
    private func segment(_ number: Int64) -> Range<Int64> { number * 4 * Self.second..<(number + 1) * 4 * Self.second }

    @Test func firstSegmentStartsAtItsPosition() {
        var clock = StreamClock()
        #expect(
            clock.offset(discontinuity: 0, first: 1_400_000_000, segment: segment(0), wraps: true) == -1_400_000_000)
    }

    @Test("all variants and renditions of a discontinuity number have one offset, so that audio and video stay in sync")
    func variantsAndRenditionsHaveOneOffset() {
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
        let (firstTime, secondTime) = direction > 0 ? (start, 2 * Self.second) : (2 * Self.second, start)
        let offset = clock.offset(
            discontinuity: 0, first: firstTime, segment: segment(direction > 0 ? 0 : 1), wraps: true)
        let offsetAfterWrap = clock.offset(
            discontinuity: 0, first: secondTime, segment: segment(direction > 0 ? 1 : 0), wraps: true)
        #expect(offsetAfterWrap == offset + direction * StreamClock.period)
    }

    @Test("timestamps of 64 bits do not wrap around") func clocksOf64BitsDoNotWrap() {
        var clock = StreamClock()
        _ = clock.offset(discontinuity: 0, first: 0, segment: segment(0), wraps: false)
        let largeTime = StreamClock.period
        #expect(
            clock.offset(discontinuity: 0, first: largeTime, segment: segment(1), wraps: false)
                == 4 * Self.second - largeTime)
    }

    @Test("a segment that continues the previous segment keeps its offset, even if the playlist's times differ")
    func continuousSegmentsKeepTheirOffset() {
        var clock = StreamClock(), previousContinuation: StreamClock.Continuation?
        // The playlist states 4 s for segments that last 3.84 s, and the clock wraps around during the loop.
        for number in 0..<200 as Range<Int64> {
            let firstTime = (StreamClock.period - 100 * Self.second + number * 3_840_000_000) % StreamClock.period
            let offset = clock.offset(
                discontinuity: 0, first: firstTime, segment: segment(number), wraps: true,
                continuing: previousContinuation)
            #expect(firstTime + offset == number * 3_840_000_000)
            previousContinuation = .init(offset: offset, time: (number + 1) * 3_840_000_000)
        }
        // After a seek, the readers of video and audio both place segments by the playlist, with the same offset.
        let firstTime = (StreamClock.period - 100 * Self.second + 150 * 3_840_000_000) % StreamClock.period
        let offsetAfterSeek = clock.offset(discontinuity: 0, first: firstTime, segment: segment(150), wraps: true)
        #expect(firstTime + offsetAfterSeek == segment(150).lowerBound)
        let audioOffset = clock.offset(
            discontinuity: 0, first: firstTime - 21_000_000, segment: segment(150), wraps: true)
        #expect(audioOffset == offsetAfterSeek)
    }

    @Test func variantWithAnotherClockIsPlacedByThePlaylist() {
        var clock = StreamClock()
        _ = clock.offset(discontinuity: 0, first: 0, segment: segment(0), wraps: true)
        #expect(
            clock.offset(discontinuity: 0, first: 60 * Self.second, segment: segment(1), wraps: true) == -56
                * Self.second)
        // Segments of the other variants still receive the first offset.
        #expect(clock.offset(discontinuity: 0, first: 4 * Self.second, segment: segment(1), wraps: true) == 0)
    }
}
