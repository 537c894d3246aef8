import CompositorProtocol
import Testing

@testable import SwiftPlay

@Suite struct ActivationStateTests {
    private final class TestWindow: Sendable {}
    private let firstWindow = TestWindow(), secondWindow = TestWindow()

    private func presence(_ state: Application.ActivationState) -> ProgramPresence {
        var windows = ProgramWindows()
        windows.windows[ObjectIdentifier(firstWindow), default: .init()].setActivationState(state)
        return windows.presence
    }

    @Test func presenceFollowsTheReportedState() {
        #expect(presence(.background) == .hidden)
        #expect(presence(.foregroundInactive) == .shown)
        #expect(presence(.foregroundActive) == .focused)
    }

    @Test("a later state replaces each part of an earlier state")
    func laterStateReplacesEarlierState() {
        for first in Application.ActivationState.allCases {
            for second in Application.ActivationState.allCases {
                var window = ProgramWindows.Window(), expectedWindow = window
                window.setActivationState(first)
                window.setActivationState(second)
                expectedWindow.setActivationState(second)
                #expect(window == expectedWindow)
            }
        }
    }

    @Test func closingAWindowRemovesItsRecord() {
        let application = Application.shared, first = ObjectIdentifier(firstWindow)
        let second = ObjectIdentifier(secondWindow)
        application.setActivationState(.foregroundActive, ofWindow: first)
        application.setActivationState(.background, ofWindow: second)
        #expect(application.state.withLock { $0.windows.windows[first]?.isFocused } == true)
        application.setActivationState(nil, ofWindow: first)
        #expect(application.state.withLock { $0.windows.windows[first] } == nil)
        #expect(application.state.withLock { $0.windows.windows[second]?.isShown } == false)
        application.setActivationState(nil, ofWindow: second)
    }
}
