import CompositorProtocol
import Testing

@testable import Compositor

@Suite struct LateFrameQueueTests {
    /// Returns late frames with the given numbers. The pixels of odd frames are in slot 1, those of even frames in slot
    /// 0.
    private func lateFrames(
        _ numbers: ClosedRange<UInt32>, isShownInLayer: Bool = false
    ) -> [LateFrameQueue.LateFrame] {
        numbers.map { number in
            let entry = FrameEntry(frame: UInt64(number), slot: number % 2, format: 1, presentationTime: 0, hostTime: 0)
            return LateFrameQueue.LateFrame(entry: entry, isShownInLayer: isShownInLayer)
        }
    }

    @Test("late frames are shown briefly, and faster while more frames wait; a frame in time is shown at once")
    func lateFramesAreShownBriefly() {
        var queue = LateFrameQueue()
        let nothing = queue.takeNextFrame(now: 0), passed = queue.add(lateFrames(1...4))
        #expect(nothing == nil && passed.isEmpty)
        var now: Int64 = 1_000_000_000, seen: [UInt64] = [], waits: [Int64] = []
        while let entry = queue.takeNextFrame(now: now) {
            seen.append(entry.frame)
            queue.markShown(at: now)
            guard let due = queue.nextDueTime else { break }
            let early = queue.takeNextFrame(now: due - 1)
            #expect(early == nil)
            waits.append(due - now)
            now = due
        }
        #expect(seen == [1, 2, 3, 4] && waits == [4_000_000, 4_000_000, 8_000_000] && queue.isEmpty)
        _ = queue.add(lateFrames(5...5))
        let next = queue.takeNextFrame(now: now)
        #expect(next?.frame == 5)
    }

    @Test func fullQueueDropsOldestFrames() {
        var queue = LateFrameQueue()
        let none = queue.add(lateFrames(1...5)), oldest = queue.add(lateFrames(6...8)), odd = queue.removeAll(in: 1),
            rest = queue.removeAll()
        #expect(none.isEmpty && oldest.map(\.frame) == [1, 2])
        #expect(odd.map(\.frame) == [3, 5, 7] && rest.map(\.frame) == [4, 6, 8] && queue.isEmpty)
    }

    @Test("frames that the visible layer has shown are skipped, except for the newest")
    func framesThatTheLayerHasShownAreSkipped() {
        var queue = LateFrameQueue()
        _ = queue.add(lateFrames(1...1) + lateFrames(2...4, isShownInLayer: true))
        let none = queue.removeFramesShownInLayer(), first = queue.takeNextFrame(now: 0),
            seen = queue.removeFramesShownInLayer(), newest = queue.takeNextFrame(now: 0)
        #expect(none.isEmpty && first?.frame == 1, "the first frame was sent only to the window")
        #expect(seen.map(\.frame) == [2, 3] && newest?.frame == 4)
    }
}
