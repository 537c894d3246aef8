import MediaPipeline
import SharedFrames
import Testing

@testable import Subtitles

@Suite struct SubtitleTimelineTests {
    /// A reference to a timeline, because `#expect` cannot call mutating methods.
    private final class TimelineReference {
        private var timeline = SubtitleTimeline()
        var count: Int { timeline.count }
        @discardableResult func add(_ event: SubtitleEvent) -> Bool { timeline.add(event) }
        func endOpenEvents(at time: Int64) -> Bool { timeline.endOpenEvents(at: time) }
        func activeEvents(at time: Int64) -> (events: [SubtitleEvent], range: Range<Int64>) {
            timeline.activeEvents(at: time)
        }
    }

    /// Returns a text event; times are in nanoseconds.
    private func textEvent(_ start: Int64, _ end: Int64, _ string: String = "x") -> SubtitleEvent {
        SubtitleEvent(start: start, end: end, content: .text("0,Default,,0,0,0,,\(string)"))
    }

    /// Returns a bitmap event; times are in nanoseconds. If `bytes` is 0, the event has no bitmap and removes the
    /// visible bitmaps.
    private func bitmapEvent(_ start: Int64, _ end: Int64 = .max, bytes: Int = 4) -> SubtitleEvent {
        let bitmap = SubtitleBitmap(
            rect: PixelRect(x: 0, y: 0, width: 1, height: 1), pixels: [UInt8](repeating: 1, count: bytes))
        return SubtitleEvent(
            start: start, end: end,
            content: .bitmaps(bytes == 0 ? [] : [bitmap], canvas: PixelSize(width: 10, height: 10)))
    }

    @Test func activeEventsAreConstantUntilAnEventStartsOrEnds() {
        let timeline = TimelineReference()
        timeline.add(textEvent(300, 400, "c"))
        timeline.add(textEvent(100, 250, "a"))
        timeline.add(textEvent(200, 220, "b"))
        #expect(timeline.activeEvents(at: 50).events.isEmpty)
        #expect(timeline.activeEvents(at: 50).range == .min..<100)
        #expect(timeline.activeEvents(at: 100).events.count == 1)
        #expect(timeline.activeEvents(at: 199).range == 100..<200)
        #expect(timeline.activeEvents(at: 210).events.count == 2)
        #expect(timeline.activeEvents(at: 230).range == 220..<250)
        #expect(timeline.activeEvents(at: 270).range == 250..<300)
        #expect(timeline.activeEvents(at: 400).events.isEmpty)
        #expect(timeline.activeEvents(at: .max - 1).events.isEmpty)
    }

    @Test func clearingAndShowingBitmapsAtTheSameTimeAreSeparateEvents() {
        let timeline = TimelineReference()
        timeline.add(bitmapEvent(0))
        timeline.add(bitmapEvent(100, bytes: 0))
        timeline.add(bitmapEvent(100))
        #expect(timeline.activeEvents(at: 150).events.contains(bitmapEvent(100)))
        #expect(!timeline.add(bitmapEvent(100)))
    }

    @Test func bitmapsWithoutEndTimeEndAtTheGivenTimeUntilTheyAreReadAgain() {
        let timeline = TimelineReference()
        timeline.add(bitmapEvent(0))
        timeline.add(bitmapEvent(100))
        #expect(timeline.endOpenEvents(at: 150))
        timeline.add(bitmapEvent(1000))
        #expect(timeline.activeEvents(at: 50).events.count == 1 && timeline.activeEvents(at: 149).events.count == 1)
        #expect(timeline.activeEvents(at: 150).events.isEmpty)
        // After a seek back, the events are read again, up to a later time.
        timeline.add(bitmapEvent(100))
        timeline.add(bitmapEvent(300, bytes: 0))
        #expect(timeline.activeEvents(at: 120).events.count == 1 && timeline.activeEvents(at: 200).events.count == 1)
        #expect(timeline.activeEvents(at: 400).events.allSatisfy { $0.content == bitmapEvent(0, bytes: 0).content })
        #expect(!timeline.endOpenEvents(at: -1))
    }

    @Test func aRepeatedEventIsIgnored() {
        let timeline = TimelineReference()
        #expect(timeline.add(textEvent(100, 200)))
        #expect(!timeline.add(textEvent(100, 200)))
        #expect(timeline.add(textEvent(100, 200, "other")))
        #expect(timeline.count == 2)
    }

    @Test func aBitmapEventEndsWhenTheNextBitmapEventStarts() {
        let timeline = TimelineReference()
        timeline.add(bitmapEvent(100))
        timeline.add(bitmapEvent(200, bytes: 0))
        timeline.add(bitmapEvent(300, 350))
        #expect(timeline.activeEvents(at: 150).range == 100..<200)
        #expect(
            timeline.activeEvents(at: 250).events.allSatisfy {
                if case .bitmaps(let bitmaps, _) = $0.content { bitmaps.isEmpty } else { false }
            })
        #expect(timeline.activeEvents(at: 360).events.isEmpty)
    }

    @Test func distantBitmapEventsAreDiscardedAtTheByteLimit() {
        let timeline = TimelineReference()
        for index in 0..<40 { timeline.add(bitmapEvent(Int64(index) * 10, bytes: 4 << 20)) }
        #expect(timeline.count < 20)
        #expect(timeline.activeEvents(at: 395).events.count == 1)
    }

    @Test func anEventWithoutADurationIsRefused() {
        let timeline = TimelineReference()
        #expect(!timeline.add(textEvent(200, 100)))
        #expect(!timeline.add(bitmapEvent(200, 200)))
    }

    @Test func theStartOfAnotherEventIsFound() {
        var timeline = SubtitleTimeline()
        for start in [100, 300, 200, 200] as [Int64] {
            timeline.add(textEvent(start, start + 1000, "\(timeline.count)"))
        }
        #expect([-1, 0, 1, 2].map { timeline.startTime(of: $0, from: 250) } == [100, 200, 300, nil])
        #expect(timeline.startTime(of: 0, from: 200) == 200 && timeline.startTime(of: 1, from: 200) == 300)
        #expect(timeline.startTime(of: 0, from: 99) == nil && timeline.startTime(of: 1, from: 99) == 100)
        #expect(timeline.startTime(of: -1, from: .max) == 200)
    }

    @Test(arguments: [Int.min, .max, -1, 1]) func aDistantEventHasNoStart(_ count: Int) {
        #expect(SubtitleTimeline().startTime(of: count, from: 0) == nil)
        var timeline = SubtitleTimeline()
        timeline.add(textEvent(100, 200))
        #expect(timeline.startTime(of: count, from: 100) == nil)
    }

    @Test func anAddedEventChangesTheActiveEvents() {
        let timeline = TimelineReference()
        timeline.add(textEvent(100, 400, "a"))
        #expect(timeline.activeEvents(at: 200).range == 100..<400)
        timeline.add(textEvent(150, 300, "b"))
        #expect(timeline.activeEvents(at: 200).events == [textEvent(100, 400, "a"), textEvent(150, 300, "b")])
        #expect(timeline.activeEvents(at: 200).range == 150..<300)
        #expect(timeline.activeEvents(at: 299).events.count == 2, "the result is valid in its whole range")
    }

    @Test func activeEventsAreConstantInTheirRange() {
        let timeline = TimelineReference()
        for start in stride(from: Int64(0), to: 100, by: 7) { timeline.add(textEvent(start, start + 20, "\(start)")) }
        timeline.add(bitmapEvent(33))
        timeline.add(bitmapEvent(66, bytes: 0))
        for time in -5...130 as ClosedRange<Int64> {
            let (events, range) = timeline.activeEvents(at: time)
            #expect(range.contains(time))
            for end in [max(range.lowerBound, -20), min(range.upperBound, 150) - 1] {
                #expect(timeline.activeEvents(at: end).events == events, "\(time), \(end)")
            }
        }
    }
}
