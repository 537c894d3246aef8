import Observation
import SwiftPlay
import SystemCalls
import Testing

@testable import SwiftPlayKit

@Suite("Observation of a Picture-in-Picture controller")
struct PictureInPictureObservationTests {
    @MainActor @Test("Watchers are called in the order in which they were added") func watchersAreCalledInOrder() {
        let controller = PictureInPictureController(contentSource: .init(playerLayer: PlayerLayer()))
        var calls: [Int] = []
        for number in 0..<20 { controller.watch { _ in calls.append(number) } }
        controller.isPictureInPictureStalled = true
        #expect(calls == Array(0..<20))
    }

    @MainActor @Test("Observation tracking and watchers are notified of a changed property, and of no other")
    func onlyTheChangedPropertyNotifiesItsObservers() {
        let controller = PictureInPictureController(contentSource: .init(playerLayer: PlayerLayer()))
        let notifiedProperties = Monitor<[String]>([])
        var watcherCallCount = 0
        controller.watch { _ in watcherCallCount += 1 }
        withObservationTracking {
            _ = controller.isPictureInPictureActive
        } onChange: {
            notifiedProperties.withLock { $0.append("active") }
        }
        withObservationTracking {
            _ = controller.isPictureInPictureStalled
        } onChange: {
            notifiedProperties.withLock { $0.append("stalled") }
        }
        controller.isPictureInPictureStalled = true
        #expect(notifiedProperties.withLock { $0 } == ["stalled"])
        #expect(watcherCallCount == 1)
        controller.isPictureInPictureStalled = true
        #expect(watcherCallCount == 1)
        controller.isPictureInPictureActive = true
        #expect(notifiedProperties.withLock { $0 } == ["stalled", "active"])
    }
}
