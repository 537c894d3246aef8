import Testing

@testable import Compositor

@Suite struct PiPSessionStateTests {
    @Test("a returned picture closes without late frames or after its deadline; a second return has no effect")
    func returnedPictureClosesWithoutLateFramesOrAfterItsDeadline() {
        var state = PiPSession.ReturnAnimationState()
        for now in [0, Int64.max] { #expect(!state.canClose(hasLateFrames: false, now: now)) }
        #expect(state.deadline == nil)
        state.markReturnAnimationFinished(now: 10)
        state.markReturnAnimationFinished(now: 20)
        let deadline = 10 + PiPSession.ReturnAnimationState.timeout
        #expect(state.deadline == deadline)
        for now in [10, deadline - 1, deadline, deadline + 1] {
            #expect(state.canClose(hasLateFrames: false, now: now))
            #expect(state.canClose(hasLateFrames: true, now: now) == (now >= deadline))
        }
    }

    @Test func openingStartsWithoutAttempts() {
        let opening = PiPSession.Opening.opening(SurfaceOpenRequest())
        #expect(opening.isStarted && opening.isPending && opening.awaitsFirstFrame && opening.attemptCount == 0)
        #expect(!PiPSession.Opening().isStarted && !PiPSession.Opening().awaitsFirstFrame)
    }
}
