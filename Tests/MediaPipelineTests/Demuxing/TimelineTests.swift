import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct TimelineTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000
    /// The duration of a frame in nanoseconds.
    private static let frameDuration = second / 25

    /// Places `count` packets of a stream on the timeline, beginning at timestamp `time`, and returns their times on
    /// the timeline.
    private func placedTimes(_ timeline: inout Timeline, stream: Int, from time: Int64, count: Int) -> [Int64?] {
        (0..<count).map { index in
            let time = time + Int64(index) * Self.frameDuration
            return timeline.packetOffset(
                stream: stream, time: time, duration: Self.frameDuration, mayChangeOffset: true
            ).map {
                $0 + time
            }
        }
    }

    @Test(arguments: [0, 3_600 * second, -50 * second]) func timestampJumpIsRemovedFromBothStreams(_ jump: Int64) {
        var timeline = Timeline(tolerance: 10 * Self.second)
        _ = placedTimes(&timeline, stream: 0, from: 100 * Self.second, count: 50)
        _ = placedTimes(&timeline, stream: 1, from: 100 * Self.second, count: 40)
        let timeAfterJump = jump == 0 ? 0 : 102 * Self.second + jump
        #expect(placedTimes(&timeline, stream: 0, from: timeAfterJump, count: 3).first == 102 * Self.second)
        // The packets of stream 1 from before the timestamp jump keep their times. Its packets after the jump follow
        // those of stream 0.
        #expect(
            placedTimes(&timeline, stream: 1, from: 100 * Self.second + 40 * Self.frameDuration, count: 10).last == 102
                * Self.second
                - Self.frameDuration)
        #expect(placedTimes(&timeline, stream: 1, from: timeAfterJump, count: 1) == [102 * Self.second])
        #expect(timeline.jumpCount == 1)
    }

    @Test func timestampGapsAndUnorderedTimestampsAreNoJumps() {
        var timeline = Timeline(tolerance: 10 * Self.second)
        _ = placedTimes(&timeline, stream: 0, from: 0, count: 25)
        #expect(placedTimes(&timeline, stream: 0, from: 9 * Self.second, count: 1) == [9 * Self.second])
        #expect(
            placedTimes(&timeline, stream: 0, from: 9 * Self.second - Self.second / 2, count: 1) == [
                9 * Self.second - Self.second / 2
            ])
        #expect(timeline.jumpCount == 0 && timeline.end == 9 * Self.second + Self.frameDuration)
    }

    @Test func subtitlesNeverChangeTheOffset() {
        var timeline = Timeline(tolerance: 10 * Self.second)
        #expect(timeline.packetOffset(stream: 2, time: 0, duration: Self.second, mayChangeOffset: false) == 0)
        #expect(
            timeline.packetOffset(stream: 2, time: 500 * Self.second, duration: Self.second, mayChangeOffset: false)
                == 0)
        #expect(timeline.jumpCount == 0)
    }

    @Test func withoutJumpsAnImplausibleTimestampIsRejected() {
        var timeline = Timeline(tolerance: nil)
        _ = placedTimes(&timeline, stream: 0, from: 0, count: 10)
        #expect(placedTimes(&timeline, stream: 0, from: 200 * 3600 * Self.second, count: 1) == [nil])
        #expect(placedTimes(&timeline, stream: 0, from: 3600 * Self.second, count: 1) == [3600 * Self.second])
    }

    @Test func extremeTimestampsDoNotOverflow() {
        for tolerance in [nil, 10 * Self.second] {
            var timeline = Timeline(tolerance: tolerance)
            for time in [Int64.min, .max, 0, .max, .min, -1, 1 << 62] {
                _ = timeline.packetOffset(stream: 0, time: time, duration: .max, mayChangeOffset: true)
            }
        }
    }

    @Test func indexIsBoundedAndFindsTheEntryBeforeATime() {
        var index = KeyframeIndex(limit: 64)
        var random = SeededGenerator.printingSeed()
        for number in (0..<200).shuffled(using: &random) {
            let time = Int64(number) * Self.second
            index.insert(.init(time: time, position: Int64(number), offset: 0, precedingPacketCount: 0))
        }
        #expect(index.entries.count <= 64 && index.entries == index.entries.sorted { $0.time < $1.time })
        #expect(index.last(atOrBefore: -1) == nil)
        for entry in index.entries { #expect(index.last(atOrBefore: entry.time + 1) == entry) }
    }
}
