import Testing

@testable import SwiftPlay

@Suite struct ApplicationEventTests {
    @Test("the steps between all pairs of roles come in UIKit's order and undo each other")
    func stepsAreInOrder() {
        for old in ApplicationRole.allCases {
            for new in ApplicationRole.allCases {
                let steps = ApplicationEvent.steps(from: old, to: new)
                #expect(steps == ApplicationEvent.allCases.filter(steps.contains))
                #expect(steps.contains(.willResignActive) == (old == .primary && new != .primary))
                #expect(steps.contains(.didBecomeActive) == (new == .primary && old != .primary))
                #expect(steps.contains(.didEnterBackground) == (old.isForeground && !new.isForeground))
                #expect(steps.contains(.willEnterForeground) == (new.isForeground && !old.isForeground))
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
