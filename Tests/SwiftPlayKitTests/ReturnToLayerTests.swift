import SystemCalls
import Testing

@testable import SwiftPlayKit

@Suite("The end of the picture's return to the layer") struct ReturnToLayerTests {
    @Test func actionsAreCalledOnceAndInOrder() {
        let calls = Monitor<[Int]>([]), pictureReturn = ReturnToLayer()
        pictureReturn.notify { calls.withLock { $0.append(1) } }
        pictureReturn.notify {
            calls.withLock { $0.append(2) }
            // An action that is added by another action runs last.
            pictureReturn.notify { calls.withLock { $0.append(4) } }
        }
        pictureReturn.notify { calls.withLock { $0.append(3) } }
        #expect(calls.withLock { $0.isEmpty } && !pictureReturn.isFinished)
        pictureReturn.end()
        #expect(calls.withLock { $0 } == [1, 2, 3, 4] && pictureReturn.isFinished)
        pictureReturn.end()
        pictureReturn.notify { calls.withLock { $0.append(5) } }
        #expect(calls.withLock { $0 } == [1, 2, 3, 4, 5])
    }

    @Test func anActionThatCallsEndFinishesBeforeTheNextAction() {
        let calls = Monitor<[String]>([]), pictureReturn = ReturnToLayer()
        pictureReturn.notify {
            calls.withLock { $0.append("begin") }
            pictureReturn.end()
            calls.withLock { $0.append("end") }
        }
        pictureReturn.notify { calls.withLock { $0.append("next") } }
        pictureReturn.end()
        #expect(calls.withLock { $0 } == ["begin", "end", "next"])
    }

    @Test func constantFinishedHasEnded() {
        #expect(ReturnToLayer.finished.isFinished)
    }
}
