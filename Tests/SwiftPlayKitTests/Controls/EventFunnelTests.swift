import SystemCalls
import Testing
import VideoOutput

@testable import SwiftPlayKit

@Suite struct EventFunnelTests {
    @Test @MainActor func ofMovementsTheNewestIsHandedOnAndTheOrderStays() async {
        let (events, continuation) = AsyncStream.makeStream(of: OutputEvent.self)
        let funnel = EventFunnel { continuation.yield($0) }
        for x in 0...100 { funnel.pour(.pointer(.moved(x: x, y: 0))) }
        funnel.pour(.pointer(.pressed("MBTN_LEFT", x: 100, y: 0)))
        for x in 200...300 { funnel.pour(.pointer(.moved(x: x, y: 0))) }
        funnel.pour(.key("q"))
        var seen: [OutputEvent] = []
        for await event in events {
            seen.append(event)
            if event == .key("q") { break }
        }
        #expect(
            seen == [
                .pointer(.moved(x: 100, y: 0)), .pointer(.pressed("MBTN_LEFT", x: 100, y: 0)),
                .pointer(.moved(x: 300, y: 0)), .key("q"),
            ])
        // What is poured after the others have been seen is a movement of its own.
        funnel.pour(.pointer(.moved(x: 1, y: 1)))
        for await event in events {
            #expect(event == .pointer(.moved(x: 1, y: 1)))
            break
        }
    }
}
