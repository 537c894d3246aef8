import Testing

@testable import SwiftPlay

@Suite struct RatePlanTests {
    private static let phases: [PlaybackPhase?] = [nil, .opening, .priming, .ready, .playing, .failed]

    /// One plan for every combination of the inputs of ``RatePlan``.
    private static let plans: [RatePlan] = {
        var allPlans: [RatePlan] = []
        let rates: [Float] = [0, 1, 2]
        for phase in phases {
            for rate in rates {
                for flagBits in 0..<16 {
                    allPlans.append(
                        RatePlan(
                            rate: rate, phase: phase, clockRate: flagBits & 1 != 0 ? 1 : 2, hasAudio: flagBits & 2 != 0,
                            isSeekable: flagBits & 4 != 0, wasStepped: flagBits & 8 != 0))
                }
            }
        }
        return allPlans
    }()

    @Test func requestedRateAndPhaseDetermineTheActions() {
        for plan in Self.plans {
            let expected: [RatePlan.Action] =
                switch (plan.phase, plan.rate) {
                case (nil, 0): [.publishPaused]
                case (nil, _): [.publishWaitingForItem]
                case (.playing?, 0): [.stopDeviceAndClock, .updateSession, .publishPaused]
                case (_?, 0): [.updateSession, .publishPaused]
                case (.playing?, let rate) where Double(rate) == plan.clockRate: []
                case (.playing?, _) where plan.hasAudio && plan.isSeekable:
                    [.changeClockRate, .rebufferAudio, .publishPlaying]
                case (.playing?, _): [.changeClockRate, .publishPlaying]
                case (_?, _):
                    plan.wasStepped ? [.seekToSteppedFrame, .publishWaitingForData] : [.publishWaitingForData]
                }
            #expect(plan.actions == expected, "\(plan)")
        }
    }

    @Test func audioSessionIsUpdatedBeforePausedIsPublished() {
        for actions in Self.plans.map(\.actions) {
            guard let updateIndex = actions.firstIndex(of: .updateSession) else { continue }
            #expect(actions.firstIndex(of: .publishPaused).map { $0 > updateIndex } == true)
        }
    }

    @Test func onlyTheLastActionPublishesAStatus() {
        let publishingActions: Set<RatePlan.Action> = [
            .publishPaused, .publishPlaying, .publishWaitingForItem, .publishWaitingForData,
        ]
        for actions in Self.plans.map(\.actions) where !actions.isEmpty {
            #expect(
                actions.filter(publishingActions.contains).count == 1
                    && actions.last.map(publishingActions.contains) == true)
        }
    }
}
