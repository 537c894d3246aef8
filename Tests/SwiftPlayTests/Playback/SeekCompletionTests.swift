import SystemCalls
import Testing

@testable import SwiftPlay

extension SeekCompletionTests {
    @Test("A second result, which the completion handler itself gives, has no effect")
    func secondCompletionByTheHandlerHasNoEffect() {
        let count = Monitor(0)
        let completionReference = Monitor<SeekCompletion?>(nil)
        let completion = SeekCompletion { _ in
            count.update { $0 += 1 }
            completionReference.withLock { $0 }?.complete(false)
        }
        completionReference.update { $0 = completion }
        completion.complete(true)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("The handler is released with the first result")
    func seekHandlerIsReleasedAfterTheFirstResult() {
        final class CapturedObject: Sendable {}
        let completion: SeekCompletion
        weak var weakObject: CapturedObject?
        do {
            let object = CapturedObject()
            weakObject = object
            completion = SeekCompletion { _ in withExtendedLifetime(object) {} }
        }
        #expect(weakObject != nil)
        completion.complete(true)
        #expect(weakObject == nil)
    }
}
