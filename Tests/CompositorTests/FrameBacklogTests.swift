import CompositorProtocol
import Testing

@testable import Compositor

@Suite struct FrameBacklogTests {
    private func late(_ numbers: ClosedRange<UInt32>, isAtLayer: Bool = false) -> [FrameBacklog.Late] {
        numbers.map { number in
            let entry = FrameEntry(frame: UInt64(number), slot: number % 2, format: 1, presentationTime: 0, hostTime: 0)
            return FrameBacklog.Late(entry: entry, isAtLayer: isAtLayer)
        }
    }

    @Test("late frames are shown briefly, shorter while more wait; a frame in time is shown at once")
    func glances() {
        var backlog = FrameBacklog()
        let nothing = backlog.next(now: 0), passed = backlog.add(late(1...4))
        #expect(nothing == nil && passed.isEmpty)
        var now: Int64 = 1_000_000_000, seen: [UInt64] = [], waits: [Int64] = []
        while let entry = backlog.next(now: now) {
            seen.append(entry.frame)
            backlog.shown(at: now)
            guard let due = backlog.heldUntil else { break }
            let early = backlog.next(now: due - 1)
            #expect(early == nil)
            waits.append(due - now)
            now = due
        }
        #expect(seen == [1, 2, 3, 4] && waits == [4_000_000, 4_000_000, 8_000_000] && backlog.isEmpty)
        _ = backlog.add(late(5...5))
        let next = backlog.next(now: now)
        #expect(next?.frame == 5)
    }

    @Test func fullQueueDropsOldestFrames() {
        var backlog = FrameBacklog()
        let none = backlog.add(late(1...5)), oldest = backlog.add(late(6...8)), odd = backlog.removeAll(in: 1),
            rest = backlog.removeAll()
        #expect(none.isEmpty && oldest.map(\.frame) == [1, 2])
        #expect(odd.map(\.frame) == [3, 5, 7] && rest.map(\.frame) == [4, 6, 8] && backlog.isEmpty)
    }

    @Test("frames that the visible layer has shown are skipped, except for the newest")
    func passedOver() {
        var backlog = FrameBacklog()
        _ = backlog.add(late(1...1) + late(2...4, isAtLayer: true))
        let none = backlog.passOverSeen(), first = backlog.next(now: 0), seen = backlog.passOverSeen(),
            newest = backlog.next(now: 0)
        #expect(none.isEmpty && first?.frame == 1, "the first was sent here alone")
        #expect(seen.map(\.frame) == [2, 3] && newest?.frame == 4)
    }
}
