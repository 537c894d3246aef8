import Testing

@testable import SwiftPlay

@Suite("AudioTimeline: positions of items' audio in the renderer's stream")
struct AudioTimelineTests {
    /// A stand-in for the object that supplies the samples of an item's audio.
    private final class Source: Sendable {}
    private typealias Timeline = AudioTimeline<Source>
    /// One second in nanoseconds, and the sample rate in hertz.
    private let second: Int64 = 1_000_000_000, sampleRate = 1000

    /// Returns an item's audio from one source at one speed.
    private func makeAudio(
        _ source: Source = Source(), generation: UInt32 = 1, start: Int64? = 0, speed: Double = 1, end: Int64? = nil,
        startHostTime: Int64? = nil
    ) -> ItemAudio<Source> {
        ItemAudio<Source>(
            number: 0, source: source, generation: generation, start: start, speed: speed, end: end,
            startHostTime: startHostTime)
    }

    @Test("a source whose audio is being written continues; another source or generation begins new audio")
    func newSourceOrGenerationNumberBeginsNewAudio() {
        var timeline = Timeline()
        let source = Source()
        let firstNumber = timeline.begin(makeAudio(source))
        let sameSourceNumber = timeline.begin(makeAudio(source, start: 5))
        #expect(firstNumber == sameSourceNumber && timeline.currentAudio?.start == 0)
        let otherGenerationNumber = timeline.begin(makeAudio(source, generation: 2))
        let otherSourceNumber = timeline.begin(makeAudio())
        #expect(Set([firstNumber, otherGenerationNumber, otherSourceNumber]).count == 3)
        #expect(timeline.currentAudio?.number == otherSourceNumber)
    }

    @Test("a flush removes all items' audio, and numbers are never reused")
    func flushRemovesAllAudio() {
        var timeline = Timeline()
        let number = timeline.begin(makeAudio())
        timeline.didWrite(10)
        _ = timeline.markPrimed(flushCount: timeline.flushCount)
        _ = timeline.markEnded()
        let flushCount = timeline.flushCount
        timeline.flush()
        #expect(timeline.flushCount != flushCount && timeline.currentAudio == nil && timeline.writtenFrameCount == 0)
        #expect(!timeline.isPrimed && !timeline.hasEnded && timeline.firstFrame(of: number) == nil)
        #expect(timeline.begin(makeAudio()) != number)
    }

    @Test("work that started before a flush has no effect after it")
    func requestsFromBeforeAFlushHaveNoEffect() {
        var timeline = Timeline()
        _ = timeline.begin(makeAudio(start: nil))
        let flushCount = timeline.flushCount
        guard let flushedAudio = timeline.currentAudio else {
            Issue.record("no current audio")
            return
        }
        timeline.flush()
        let number = timeline.begin(makeAudio(start: nil))
        let origin = timeline.origin(of: flushedAudio, flushCount: flushCount, firstBlock: 7)
        let missingFrameCount = timeline.align(
            flushedAudio, at: 5, rate: sampleRate, limit: 100, flushCount: flushCount)
        let continuation = timeline.continueWithNextAudio(
            after: flushedAudio, reachedTime: nil, rate: sampleRate, flushCount: flushCount)
        let primedNumber = timeline.markPrimed(flushCount: flushCount)
        #expect(origin == nil && missingFrameCount == nil && continuation == nil && primedNumber == nil)
        #expect(timeline.mediaTime(of: number, at: 0, rate: sampleRate) == nil, "its origin is unknown")
    }

    @Test(
        "media time advances at the audio's speed from its start or first block, also before the first frame")
    func mediaTimeOfAnItemsAudioBeginsAtItsStart() {
        for start in [nil, 3 * second] {
            var timeline = Timeline()
            let number = timeline.begin(makeAudio(start: start, speed: 2))
            guard let currentAudio = timeline.currentAudio else {
                Issue.record("no current audio")
                return
            }
            let origin = timeline.origin(of: currentAudio, flushCount: timeline.flushCount, firstBlock: 4 * second)
            #expect(origin == start ?? 4 * second)
            #expect(timeline.mediaTime(of: number, at: 500, rate: sampleRate) == origin.map { $0 + second })
            #expect(timeline.mediaTime(of: number, at: -500, rate: sampleRate) == origin.map { $0 - second })
            #expect(timeline.firstFrame(of: number) == 0 && timeline.firstFrame(of: number &+ 1) == nil)
        }
    }

    @Test("the next item's audio gets the current speed, and can be removed until it is written")
    func nextAudioCanBeRemovedUntilItIsWritten() {
        var timeline = Timeline()
        #expect(timeline.appendNext(makeAudio(), after: nil) == nil, "there is no current audio")
        _ = timeline.begin(makeAudio(speed: 1.5))
        let secondNumber = timeline.appendNext(makeAudio(), after: nil),
            thirdNumber = timeline.appendNext(makeAudio(), after: nil)
        #expect(secondNumber != nil && thirdNumber == nil)
        let endedNumber = timeline.markEnded()
        #expect(endedNumber == nil, "another item's audio follows")
        let isRemoved = timeline.removeNext(secondNumber ?? 0), isRemovedAgain = timeline.removeNext(secondNumber ?? 0)
        #expect(isRemoved && !isRemovedAgain)
        let fourthNumber = timeline.appendNext(makeAudio(), after: nil)
        guard let currentAudio = timeline.currentAudio else {
            Issue.record("no current audio")
            return
        }
        let continuation = timeline.continueWithNextAudio(
            after: currentAudio, reachedTime: 0, rate: sampleRate, flushCount: timeline.flushCount)
        #expect(
            continuation?.audio.number == fourthNumber && continuation?.audio.speed == 1.5
                && timeline.currentAudio?.number == fourthNumber)
        let isRemovedAfterStart = timeline.removeNext(fourthNumber ?? 0)
        #expect(!isRemovedAfterStart)
    }

    @Test("silence is inserted up to the video's end, but not beyond the audio's end nor for half a frame")
    func silenceFillsTheGapBetweenAudioEndAndVideoEnd() {
        for (videoEndTime, end, reached, silentFrameCount) in [
            (5, nil, 4, 1000), (5, 4, 4, 0), (5, 6, 4, 1000), (nil, 9, 4, 0), (4, nil, 5, 0), (5, 4, nil, 4000),
        ] as [(Int64?, Int64?, Int64?, Int)] {
            var timeline = Timeline()
            _ = timeline.begin(makeAudio(end: end.map { $0 * second }))
            timeline.didWrite(100)
            _ = timeline.appendNext(makeAudio(start: 7), after: videoEndTime.map { $0 * second })
            guard let currentAudio = timeline.currentAudio else {
                Issue.record("no current audio")
                return
            }
            let continuation = timeline.continueWithNextAudio(
                after: currentAudio, reachedTime: reached.map { $0 * second }, rate: sampleRate,
                flushCount: timeline.flushCount)
            #expect(
                continuation?.silentFrameCount == silentFrameCount,
                "\(String(describing: videoEndTime)) \(String(describing: end))")
            #expect(timeline.firstFrame(of: continuation?.audio.number ?? 0) == Int64(100 + silentFrameCount))
        }
        var timeline = Timeline()
        _ = timeline.begin(makeAudio())
        _ = timeline.appendNext(makeAudio(), after: 15_000_000)
        guard let currentAudio = timeline.currentAudio else {
            Issue.record("no current audio")
            return
        }
        let continuation = timeline.continueWithNextAudio(
            after: currentAudio, reachedTime: 0, rate: sampleRate, flushCount: timeline.flushCount)
        #expect(continuation?.silentFrameCount == 0)
    }

    @Test("positions of older items are kept for a while after newer audio follows, and then removed")
    func positionsOfTheLastFourItemsAreKept() {
        var timeline = Timeline()
        var numbers = [timeline.begin(makeAudio())]
        for _ in 0..<4 {
            timeline.didWrite(10)
            guard let nextNumber = timeline.appendNext(makeAudio(), after: nil),
                let currentAudio = timeline.currentAudio
            else {
                Issue.record("no current audio")
                return
            }
            _ = timeline.continueWithNextAudio(
                after: currentAudio, reachedTime: 0, rate: sampleRate, flushCount: timeline.flushCount)
            numbers.append(nextNumber)
        }
        #expect(numbers.map { timeline.firstFrame(of: $0) } == [nil, 10, 20, 30, 40])
    }

    @Test("audio with a host time waits until that time is near, and skips samples that are too late")
    func audioWithAStartHostTimeStartsAtThatTime() {
        for (frame, expectedMissingCount, firstFrame, origin) in [
            (500.0, 400.0, nil, nil), (150.4, 50.4, 150, 0), (100, 0, 100, 0), (80, -20, 100, 40_000_000),
        ] as [(Double, Double, Int64?, Int64?)] {
            var timeline = Timeline()
            let number = timeline.begin(makeAudio(speed: 2, startHostTime: 1))
            timeline.didWrite(100)
            guard let currentAudio = timeline.currentAudio else {
                Issue.record("no current audio")
                return
            }
            let missingFrameCount = timeline.align(
                currentAudio, at: frame, rate: sampleRate, limit: 100, flushCount: timeline.flushCount)
            #expect(abs((missingFrameCount ?? .infinity) - expectedMissingCount) < 1e-6)
            guard let firstFrame, let origin else {
                #expect(timeline.mediaTime(of: number, at: 0, rate: sampleRate) == nil)
                continue
            }
            #expect(timeline.firstFrame(of: number) == firstFrame)
            #expect(timeline.mediaTime(of: number, at: firstFrame, rate: sampleRate) == origin)
        }
    }

    @Test("the timeline is primed once and ends once")
    func timelineIsPrimedOnceAndEndsOnce() {
        var timeline = Timeline()
        #expect(timeline.markPrimed(flushCount: timeline.flushCount) == nil && timeline.markEnded() == nil)
        let number = timeline.begin(makeAudio())
        let primedNumber = timeline.markPrimed(flushCount: timeline.flushCount)
        let secondPrimedNumber = timeline.markPrimed(flushCount: timeline.flushCount)
        #expect(primedNumber == number && secondPrimedNumber == nil)
        let endedNumber = timeline.markEnded(), secondEndedNumber = timeline.markEnded()
        #expect(endedNumber == number && secondEndedNumber == nil && timeline.hasEnded)
        #expect(timeline.appendNext(makeAudio(), after: nil) == nil, "the audio has ended")
        let isChanged = timeline.setGeneration(of: number, to: 2)
        #expect(!isChanged)
    }

    @Test("an item's generation and end are changed by its number")
    func generationNumberAndEndOfAnItemsAudioCanBeChanged() {
        var timeline = Timeline()
        let number = timeline.begin(makeAudio())
        let nextNumber = timeline.appendNext(makeAudio(), after: nil) ?? 0
        let isChanged = timeline.setGeneration(of: number, to: 9),
            isNextChanged = timeline.setGeneration(of: nextNumber, to: 9)
        #expect(isChanged && !isNextChanged && timeline.currentAudio?.generation == 9)
        timeline.setEnd(5, of: number)
        timeline.setEnd(6, of: nextNumber)
        guard let currentAudio = timeline.currentAudio else {
            Issue.record("no current audio")
            return
        }
        #expect(currentAudio.end == 5)
        let continuation = timeline.continueWithNextAudio(
            after: currentAudio, reachedTime: 5, rate: sampleRate, flushCount: timeline.flushCount)
        #expect(continuation?.audio.end == 6)
        timeline.close()
        #expect(timeline.currentAudio == nil)
    }

    @Test("another device's stream starts at a media time, or with the frames that the old device has not rendered")
    func audioStreamContinuesOnAnotherDevice() {
        var timeline = Timeline()
        let number = timeline.begin(makeAudio())
        timeline.didWrite(500)
        var movedTimeline = timeline
        movedTimeline.shiftPositions(by: 300, writtenFrameCount: 200)
        #expect(movedTimeline.writtenFrameCount == 200 && movedTimeline.firstFrame(of: number) == -300)
        #expect(movedTimeline.mediaTime(of: number, at: 0, rate: sampleRate) == 300_000_000)
        timeline.restartOnNewDevice(at: 7 * second)
        #expect(
            timeline.writtenFrameCount == 0 && timeline.mediaTime(of: number, at: 0, rate: sampleRate) == 7 * second)
        timeline.restartOnNewDevice(at: nil)
        #expect(timeline.mediaTime(of: number, at: 0, rate: sampleRate) == nil)
    }
}
