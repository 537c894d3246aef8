import Testing

@testable import Compositor

@Suite struct PiPSessionStateTests {
    @Test("a returned picture closes without late frames or after its deadline; a second return has no effect")
    func landing() {
        var flight = PiPSession.Return()
        for now in [0, Int64.max] { #expect(!flight.isDone(hasLateFrames: false, now: now)) }
        #expect(flight.deadline == nil)
        flight.land(now: 10)
        flight.land(now: 20)
        let end = 10 + PiPSession.Return.patience
        #expect(flight.deadline == end)
        for now in [10, end - 1, end, end + 1] {
            #expect(flight.isDone(hasLateFrames: false, now: now))
            #expect(flight.isDone(hasLateFrames: true, now: now) == (now >= end))
        }
    }

    @Test func openingStartsWithoutAttempts() {
        let opening = PiPSession.Opening.begin(FloatingOpening())
        #expect(opening.isStarted && opening.isPending && opening.awaitsShown && opening.attempts == 0)
        #expect(!PiPSession.Opening().isStarted && !PiPSession.Opening().awaitsShown)
    }
}
