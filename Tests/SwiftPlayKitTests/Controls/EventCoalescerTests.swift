import SystemCalls
import Testing
import VideoOutput

@testable import SwiftPlayKit

@Suite struct EventCoalescerTests {
    @Test @MainActor func movementsAreCoalescedAndEventsKeepTheirOrder() async {
        let (events, continuation) = AsyncStream.makeStream(of: OutputEvent.self)
        let coalescer = EventCoalescer { continuation.yield($0) }
        for x in 0...100 { coalescer.enqueue(.pointer(.moved(x: x, y: 0))) }
        coalescer.enqueue(.pointer(.pressed("MBTN_LEFT", x: 100, y: 0)))
        for x in 200...300 { coalescer.enqueue(.pointer(.moved(x: x, y: 0))) }
        coalescer.enqueue(.key("q"))
        var deliveredEvents: [OutputEvent] = []
        for await event in events {
            deliveredEvents.append(event)
            if event == .key("q") { break }
        }
        #expect(
            deliveredEvents == [
                .pointer(.moved(x: 100, y: 0)), .pointer(.pressed("MBTN_LEFT", x: 100, y: 0)),
                .pointer(.moved(x: 300, y: 0)), .key("q"),
            ])
        // A movement after the delivery of the earlier events is delivered separately.
        coalescer.enqueue(.pointer(.moved(x: 1, y: 1)))
        for await event in events {
            #expect(event == .pointer(.moved(x: 1, y: 1)))
            break
        }
    }
}
