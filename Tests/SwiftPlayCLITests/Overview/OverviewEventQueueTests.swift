import SharedFrames
import Testing
import VideoOutput

@testable import SwiftPlayCLI

@Suite struct OverviewEventQueueTests {
    private func events(_ outputs: [OutputEvent]) -> [OverviewWindow.Event] {
        var queue = OverviewEventQueue()
        for output in outputs { queue.append(.output(output)) }
        return queue.take()
    }

    @Test func eventsKeepTheirOrder() {
        let outputs: [OutputEvent] = [.key("a"), .resized(PixelSize(width: 1, height: 1)), .key("a"), .closeRequested]
        #expect(events(outputs) == outputs.map { .output($0) })
    }

    @Test func movementsInARowAreOne() {
        let moves = (0..<5).map { OutputEvent.pointer(.moved(x: $0, y: 0)) }
        #expect(
            events(moves + [.key("a")] + moves) == [.output(moves[4]), .output(.key("a")), .output(moves[4])])
    }

    @Test func oneRedrawingIsEnough() {
        #expect(
            events([.redrawNeeded, .key("a"), .redrawNeeded]) == [.output(.redrawNeeded), .output(.key("a"))])
    }

    @Test func inputIsDroppedWhenTheQueueIsFull() {
        let keys = [OutputEvent](repeating: .key("a"), count: OverviewEventQueue.limit + 50)
        #expect(events(keys).count == OverviewEventQueue.limit)
        #expect(events(keys + [.lost("gone")]).last == .output(.lost("gone")))
    }

    @Test func takenEventsAreRemoved() {
        var queue = OverviewEventQueue()
        queue.append(.failed("a"))
        #expect(queue.take() == [.failed("a")] && queue.take() == [])
    }
}
