import SystemCalls
import Testing

@testable import SwiftPlay

extension SeekCompletionTests {
    @Test("The handler may give a result itself")
    func secondCompletionByTheHandlerHasNoEffect() {
        let count = Monitor(0)
        let holder = Monitor<SeekCompletion?>(nil)
        let completion = SeekCompletion { _ in
            count.update { $0 += 1 }
            holder.withLock { $0 }?.complete(false)
        }
        holder.update { $0 = completion }
        completion.complete(true)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("The handler is released with the first result")
    func seekHandlerIsReleasedAfterTheFirstResult() {
        final class CapturedObject: Sendable {}
        let completion: SeekCompletion
        weak var captured: CapturedObject?
        do {
            let object = CapturedObject()
            captured = object
            completion = SeekCompletion { _ in withExtendedLifetime(object) {} }
        }
        #expect(captured != nil)
        completion.complete(true)
        #expect(captured == nil)
    }
}
