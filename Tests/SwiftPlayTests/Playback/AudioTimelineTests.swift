import Testing

@testable import SwiftPlay

@Suite("AudioTimeline: positions of feeds in the renderer's stream")
struct AudioTimelineTests {
    /// A stand-in for the object that supplies the samples of an audio feed.
    private final class Source: Sendable {}
    private typealias Timeline = AudioTimeline<Source>
    /// One second in nanoseconds, and the sample rate in hertz.
    private let second: Int64 = 1_000_000_000, rate = 1000

    /// Returns an audio feed: a continuous part of the audio stream, from one source at one speed.
    private func makeFeed(
        _ source: Source = Source(), generation: UInt32 = 1, start: Int64? = 0, speed: Double = 1, end: Int64? = nil,
        startsAt: Int64? = nil
    ) -> Timeline.Feed {
        Timeline.Feed(
            number: 0, source: source, generation: generation, start: start, speed: speed, end: end, startsAt: startsAt)
    }

    @Test("a source that is being fed continues; another source or generation starts a new feed")
    func newSourceOrGenerationNumberStartsANewAudioFeed() {
        var timeline = Timeline()
        let source = Source()
        let first = timeline.begin(makeFeed(source)), again = timeline.begin(makeFeed(source, start: 5))
        #expect(first == again && timeline.feed?.start == 0)
        let other = timeline.begin(makeFeed(source, generation: 2)), third = timeline.begin(makeFeed())
        #expect(Set([first, other, third]).count == 3 && timeline.feed?.number == third)
    }

    @Test("a flush removes all feeds, and numbers are never reused")
    func flushRemovesAllAudioFeeds() {
        var timeline = Timeline()
        let first = timeline.begin(makeFeed())
        timeline.didWrite(10)
        _ = timeline.prime(epoch: timeline.epoch)
        _ = timeline.end()
        let epoch = timeline.epoch
        timeline.flush()
        #expect(timeline.epoch != epoch && timeline.feed == nil && timeline.written == 0)
        #expect(!timeline.isPrimed && !timeline.hasEnded && timeline.firstFrame(of: first) == nil)
        #expect(timeline.begin(makeFeed()) != first)
    }

    @Test("work that started before a flush has no effect after it")
    func requestsFromBeforeAFlushHaveNoEffect() {
        var timeline = Timeline()
        _ = timeline.begin(makeFeed(start: nil))
        let epoch = timeline.epoch
        guard let old = timeline.feed else {
            Issue.record("no feed")
            return
        }
        timeline.flush()
        let number = timeline.begin(makeFeed(start: nil))
        let origin = timeline.origin(of: old, epoch: epoch, firstBlock: 7)
        let missing = timeline.align(old, at: 5, rate: rate, limit: 100, epoch: epoch)
        let joined = timeline.join(after: old, reached: nil, rate: rate, epoch: epoch)
        let primed = timeline.prime(epoch: epoch)
        #expect(origin == nil && missing == nil && joined == nil && primed == nil)
        #expect(timeline.media(of: number, at: 0, rate: rate) == nil, "its origin is unknown")
    }

    @Test("a feed's media time runs from its start or first block at its speed, and precedes it before the feed's turn")
    func mediaTimeRunsFromTheStartOfItsAudioFeed() {
        for start in [nil, 3 * second] {
            var timeline = Timeline()
            let number = timeline.begin(makeFeed(start: start, speed: 2))
            guard let present = timeline.feed else {
                Issue.record("no feed")
                return
            }
            let origin = timeline.origin(of: present, epoch: timeline.epoch, firstBlock: 4 * second)
            #expect(origin == start ?? 4 * second)
            #expect(timeline.media(of: number, at: 500, rate: rate) == origin.map { $0 + second })
            #expect(timeline.media(of: number, at: -500, rate: rate) == origin.map { $0 - second })
            #expect(timeline.firstFrame(of: number) == 0 && timeline.firstFrame(of: number &+ 1) == nil)
        }
    }

    @Test("one feed may follow, at the current speed, and can be removed until it is written")
    func nextAudioFeedCanBeRemovedUntilItIsWritten() {
        var timeline = Timeline()
        #expect(timeline.follow(with: makeFeed(), after: nil) == nil, "there is no current feed")
        _ = timeline.begin(makeFeed(speed: 1.5))
        let second = timeline.follow(with: makeFeed(), after: nil),
            third = timeline.follow(with: makeFeed(), after: nil)
        #expect(second != nil && third == nil)
        let ended = timeline.end()
        #expect(ended == nil, "another feed follows")
        let isBack = timeline.unfollow(second ?? 0), isTwice = timeline.unfollow(second ?? 0)
        #expect(isBack && !isTwice)
        let fourth = timeline.follow(with: makeFeed(), after: nil)
        guard let present = timeline.feed else {
            Issue.record("no feed")
            return
        }
        let joined = timeline.join(after: present, reached: 0, rate: rate, epoch: timeline.epoch)
        #expect(joined?.feed.number == fourth && joined?.feed.speed == 1.5 && timeline.feed?.number == fourth)
        let isTooLate = timeline.unfollow(fourth ?? 0)
        #expect(!isTooLate)
    }

    @Test("silence is inserted up to the video's end, but not beyond the feed's end nor for half a frame")
    func silenceFillsTheTimeUntilTheVideosEnd() {
        for (pictureEnd, end, reached, silence) in [
            (5, nil, 4, 1000), (5, 4, 4, 0), (5, 6, 4, 1000), (nil, 9, 4, 0), (4, nil, 5, 0), (5, 4, nil, 4000),
        ] as [(Int64?, Int64?, Int64?, Int)] {
            var timeline = Timeline()
            _ = timeline.begin(makeFeed(end: end.map { $0 * second }))
            timeline.didWrite(100)
            _ = timeline.follow(with: makeFeed(start: 7), after: pictureEnd.map { $0 * second })
            guard let present = timeline.feed else {
                Issue.record("no feed")
                return
            }
            let joined = timeline.join(
                after: present, reached: reached.map { $0 * second }, rate: rate, epoch: timeline.epoch)
            #expect(joined?.silence == silence, "\(String(describing: pictureEnd)) \(String(describing: end))")
            #expect(timeline.firstFrame(of: joined?.feed.number ?? 0) == Int64(100 + silence))
        }
        var timeline = Timeline()
        _ = timeline.begin(makeFeed())
        _ = timeline.follow(with: makeFeed(), after: 15_000_000)
        guard let present = timeline.feed else {
            Issue.record("no feed")
            return
        }
        #expect(timeline.join(after: present, reached: 0, rate: rate, epoch: timeline.epoch)?.silence == 0)
    }

    @Test("positions of older feeds are kept for a while after a join, and then removed")
    func positionsOfTheLastFourAudioFeedsAreKept() {
        var timeline = Timeline()
        var numbers = [timeline.begin(makeFeed())]
        for _ in 0..<4 {
            timeline.didWrite(10)
            guard let next = timeline.follow(with: makeFeed(), after: nil), let present = timeline.feed else {
                Issue.record("no feed")
                return
            }
            _ = timeline.join(after: present, reached: 0, rate: rate, epoch: timeline.epoch)
            numbers.append(next)
        }
        #expect(numbers.map { timeline.firstFrame(of: $0) } == [nil, 10, 20, 30, 40])
    }

    @Test("a feed with a host time waits until that time is near, and skips samples that are too late")
    func audioFeedStartsAtItsHostTime() {
        for (frame, missing, first, origin) in [
            (500.0, 400.0, nil, nil), (150.4, 50.4, 150, 0), (100, 0, 100, 0), (80, -20, 100, 40_000_000),
        ] as [(Double, Double, Int64?, Int64?)] {
            var timeline = Timeline()
            let number = timeline.begin(makeFeed(speed: 2, startsAt: 1))
            timeline.didWrite(100)
            guard let present = timeline.feed else {
                Issue.record("no feed")
                return
            }
            let found = timeline.align(present, at: frame, rate: rate, limit: 100, epoch: timeline.epoch)
            #expect(abs((found ?? .infinity) - missing) < 1e-6)
            guard let first, let origin else {
                #expect(timeline.media(of: number, at: 0, rate: rate) == nil)
                continue
            }
            #expect(timeline.firstFrame(of: number) == first)
            #expect(timeline.media(of: number, at: first, rate: rate) == origin)
        }
    }

    @Test("the timeline is primed once and ends once")
    func timelineIsPrimedOnceAndEndsOnce() {
        var timeline = Timeline()
        #expect(timeline.prime(epoch: timeline.epoch) == nil && timeline.end() == nil)
        let number = timeline.begin(makeFeed())
        let primed = timeline.prime(epoch: timeline.epoch), again = timeline.prime(epoch: timeline.epoch)
        #expect(primed == number && again == nil)
        let ended = timeline.end(), twice = timeline.end()
        #expect(ended == number && twice == nil && timeline.hasEnded)
        #expect(timeline.follow(with: makeFeed(), after: nil) == nil, "the feed has ended")
        let isChanged = timeline.change(number, to: 2)
        #expect(!isChanged)
    }

    @Test("a feed's generation and end are changed by its number")
    func generationNumberAndEndOfAnAudioFeedCanBeChanged() {
        var timeline = Timeline()
        let number = timeline.begin(makeFeed())
        let next = timeline.follow(with: makeFeed(), after: nil) ?? 0
        let isChanged = timeline.change(number, to: 9), isOther = timeline.change(next, to: 9)
        #expect(isChanged && !isOther && timeline.feed?.generation == 9)
        timeline.setEnd(5, of: number)
        timeline.setEnd(6, of: next)
        guard let present = timeline.feed else {
            Issue.record("no feed")
            return
        }
        #expect(present.end == 5)
        #expect(timeline.join(after: present, reached: 5, rate: rate, epoch: timeline.epoch)?.feed.end == 6)
        timeline.close()
        #expect(timeline.feed == nil)
    }

    @Test("the stream of another device starts at a media time, or with the frames that the old one has not rendered")
    func audioStreamContinuesOnAnotherDevice() {
        var timeline = Timeline()
        let number = timeline.begin(makeFeed())
        timeline.didWrite(500)
        var moved = timeline
        moved.shift(by: 300, written: 200)
        #expect(moved.written == 200 && moved.firstFrame(of: number) == -300)
        #expect(moved.media(of: number, at: 0, rate: rate) == 300_000_000)
        timeline.restart(at: 7 * second)
        #expect(timeline.written == 0 && timeline.media(of: number, at: 0, rate: rate) == 7 * second)
        timeline.restart(at: nil)
        #expect(timeline.media(of: number, at: 0, rate: rate) == nil)
    }
}
