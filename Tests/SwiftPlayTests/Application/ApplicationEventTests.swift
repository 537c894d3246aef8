import Testing

@testable import SwiftPlay

@Suite struct ApplicationEventTests {
    @Test("the steps between all pairs of roles come in UIKit's order and undo each other")
    func eventsBetweenRolesComeInUIKitsOrder() {
        for oldRole in ApplicationRole.allCases {
            for newRole in ApplicationRole.allCases {
                let steps = ApplicationEvent.steps(from: oldRole, to: newRole)
                #expect(steps == ApplicationEvent.allCases.filter(steps.contains))
                #expect(steps.contains(.willResignActive) == (oldRole == .primary && newRole != .primary))
                #expect(steps.contains(.didBecomeActive) == (newRole == .primary && oldRole != .primary))
                #expect(steps.contains(.didEnterBackground) == (oldRole.isForeground && !newRole.isForeground))
                #expect(steps.contains(.willEnterForeground) == (newRole.isForeground && !oldRole.isForeground))
            }
        }
    }

    @Test func primaryProgramEntersTheBackgroundInTwoSteps() {
        #expect(
            ApplicationEvent.steps(from: .primary, to: .backgroundMedia) == [.willResignActive, .didEnterBackground])
        #expect(
            ApplicationEvent.steps(from: .backgroundMedia, to: .primary) == [.willEnterForeground, .didBecomeActive])
    }
}
