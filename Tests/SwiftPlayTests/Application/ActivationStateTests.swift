import CompositorProtocol
import Testing

@testable import SwiftPlay

@Suite struct ActivationStateTests {
    private final class OwnWindow: Sendable {}
    private let own = OwnWindow(), other = OwnWindow()

    private func presence(_ state: Application.ActivationState) -> ProgramPresence {
        var windows = ProgramWindows()
        windows.windows[ObjectIdentifier(own), default: .init()].setActivationState(state)
        return windows.presence
    }

    @Test func presenceFollowsTheReportedState() {
        #expect(presence(.background) == .hidden)
        #expect(presence(.foregroundInactive) == .shown)
        #expect(presence(.foregroundActive) == .focused)
    }

    @Test("a later state replaces each part of an earlier one")
    func laterStateReplacesEarlierOne() {
        for first in Application.ActivationState.allCases {
            for second in Application.ActivationState.allCases {
                var window = ProgramWindows.Window(), fresh = window
                window.setActivationState(first)
                window.setActivationState(second)
                fresh.setActivationState(second)
                #expect(window == fresh)
            }
        }
    }

    @Test func closedWindowCountsNoLonger() {
        let application = Application.shared, own = ObjectIdentifier(own), other = ObjectIdentifier(other)
        application.setActivationState(.foregroundActive, ofWindow: own)
        application.setActivationState(.background, ofWindow: other)
        #expect(application.state.withLock { $0.windows.windows[own]?.isFocused } == true)
        application.setActivationState(nil, ofWindow: own)
        #expect(application.state.withLock { $0.windows.windows[own] } == nil)
        #expect(application.state.withLock { $0.windows.windows[other]?.isShown } == false)
        application.setActivationState(nil, ofWindow: other)
    }
}
