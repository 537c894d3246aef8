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
        for firstState in Application.ActivationState.allCases {
            for secondState in Application.ActivationState.allCases {
                var window = ProgramWindows.Window(), expectedWindow = window
                window.setActivationState(firstState)
                window.setActivationState(secondState)
                expectedWindow.setActivationState(secondState)
                #expect(window == expectedWindow)
            }
        }
    }

    @Test func closingAWindowRemovesItsRecord() {
        let application = Application.shared, firstID = ObjectIdentifier(firstWindow)
        let secondID = ObjectIdentifier(secondWindow)
        application.setActivationState(.foregroundActive, ofWindow: firstID)
        application.setActivationState(.background, ofWindow: secondID)
        #expect(application.state.withLock { $0.windows.windows[firstID]?.isFocused } == true)
        application.setActivationState(nil, ofWindow: firstID)
        #expect(application.state.withLock { $0.windows.windows[firstID] } == nil)
        #expect(application.state.withLock { $0.windows.windows[secondID]?.isShown } == false)
        application.setActivationState(nil, ofWindow: secondID)
    }
}
