import BackgroundProtocol
import Testing

@testable import SwiftPlayBackground

@Suite struct WakeStateTests {
    @Test func aRepeatedNotificationIsHandledOnce() {
        var state = WakeState()
        #expect(state.handleArrival(1) == .new)
        #expect(state.handleArrival(1) == .running)
        state.complete(1, .noData)
        #expect(state.handleArrival(1) == .completed(.noData))
        #expect(state.handleArrival(2) == .new)
    }

    @Test func theRememberedNotificationsAreBounded() {
        var state = WakeState()
        for id in Int64(0)..<1000 {
            _ = state.handleArrival(id)
            state.complete(id, .newData)
        }
        #expect(state.results.count == WakeState.completedLimit && state.runningNotifications.isEmpty)
        #expect(state.handleArrival(999) == .completed(.newData) && state.handleArrival(0) == .new)
    }
}
