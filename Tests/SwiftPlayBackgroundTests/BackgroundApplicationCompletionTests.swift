import SystemCalls
import Testing

@testable import SwiftPlayBackground

@Suite struct BackgroundApplicationCompletionTests {
    @Test func theHandlerIsCalledForEachCompletedWork() {
        let count = Monitor(0)
        let application = BackgroundApplication.shared
        application.completedWorkHandler = { count.withLock { $0 += 1 } }
        application.handleCompletedWork()
        application.handleCompletedWork()
        application.completedWorkHandler = nil
        application.handleCompletedWork()
        #expect(count.withLock { $0 } == 2)
    }
}
