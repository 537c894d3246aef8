import CompositorProtocol
import TestSupport
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
        let entryOfEmptyQueue = queue.takeNextFrame(now: 0), droppedEntries = queue.add(lateFrames(1...4))
        #expect(entryOfEmptyQueue == nil && droppedEntries.isEmpty)
        var now: Int64 = 1_000_000_000, shownFrames: [UInt64] = [], displayDurations: [Int64] = []
        while let entry = queue.takeNextFrame(now: now) {
            shownFrames.append(entry.frame)
            queue.markShown(at: now)
            guard let dueTime = queue.nextDueTime else { break }
            let earlyEntry = queue.takeNextFrame(now: dueTime - 1)
            #expect(earlyEntry == nil)
            displayDurations.append(dueTime - now)
            now = dueTime
        }
        #expect(shownFrames == [1, 2, 3, 4] && displayDurations == [4_000_000, 4_000_000, 8_000_000] && queue.isEmpty)
        _ = queue.add(lateFrames(5...5))
        let nextEntry = queue.takeNextFrame(now: now)
        #expect(nextEntry?.frame == 5)
    }

    @Test func fullQueueDropsOldestFrames() {
        var queue = LateFrameQueue()
        let droppedByFirst = queue.add(lateFrames(1...5)), droppedBySecond = queue.add(lateFrames(6...8)),
            entriesInSlot1 = queue.removeAll(in: 1), otherEntries = queue.removeAll()
        #expect(droppedByFirst.isEmpty && droppedBySecond.map(\.frame) == [1, 2])
        #expect(entriesInSlot1.map(\.frame) == [3, 5, 7] && otherEntries.map(\.frame) == [4, 6, 8] && queue.isEmpty)
    }

    @Test("frames that the visible layer has shown are skipped, except for the newest")
    func framesThatTheLayerHasShownAreSkipped() {
        var queue = LateFrameQueue()
        _ = queue.add(lateFrames(1...1) + lateFrames(2...4, isShownInLayer: true))
        let skippedAtFirst = queue.removeFramesShownInLayer(), firstEntry = queue.takeNextFrame(now: 0),
            skippedEntries = queue.removeFramesShownInLayer(), newestEntry = queue.takeNextFrame(now: 0)
        #expect(skippedAtFirst.isEmpty && firstEntry?.frame == 1, "the first frame was sent only to the window")
        #expect(skippedEntries.map(\.frame) == [2, 3] && newestEntry?.frame == 4)
    }

    @Test("in random orders of events, frames leave the queue once and in order, and the queue stays below its limit")
    func framesLeaveOnceAndInOrder() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<300 {
            var queue = LateFrameQueue(), nextNumber: UInt32 = 1, now: Int64 = 0, leavingFrames: [UInt64] = []
            for _ in 0..<60 {
                now += Int64.random(in: 0...10_000_000, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    let count = UInt32.random(in: 1...4, using: &generator)
                    let isShown = Bool.random(using: &generator)
                    leavingFrames += queue.add(
                        lateFrames(nextNumber...(nextNumber + count - 1), isShownInLayer: isShown)
                    ).map(\.frame)
                    nextNumber += count
                case 1: leavingFrames += queue.removeFramesShownInLayer().map(\.frame)
                default:
                    guard let entry = queue.takeNextFrame(now: now) else { continue }
                    leavingFrames.append(entry.frame)
                    queue.markShown(at: now)
                }
                #expect(Int(nextNumber) - 1 - leavingFrames.count <= LateFrameQueue.capacity)
                #expect(queue.isEmpty == (queue.nextDueTime == nil))
            }
            leavingFrames += queue.removeAll().map(\.frame)
            #expect(leavingFrames == (1..<UInt64(nextNumber)).map { $0 })
        }
    }
}
