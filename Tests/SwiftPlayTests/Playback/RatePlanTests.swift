import Testing

@testable import SwiftPlay

@Suite struct RatePlanTests {
    private static let phases: [PlaybackPhase?] = [nil, .opening, .priming, .ready, .playing, .failed]

    /// One plan for every combination of the inputs of ``RatePlan``.
    private static let plans: [RatePlan] = {
        var all: [RatePlan] = []
        let rates: [Float] = [0, 1, 2]
        for phase in phases {
            for rate in rates {
                for bits in 0..<16 {
                    all.append(
                        RatePlan(
                            rate: rate, phase: phase, clockRate: bits & 1 != 0 ? 1 : 2, hasAudio: bits & 2 != 0,
                            isSeekable: bits & 4 != 0, wasStepped: bits & 8 != 0))
                }
            }
        }
        return all
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
            guard let update = actions.firstIndex(of: .updateSession) else { continue }
            #expect(actions.firstIndex(of: .publishPaused).map { $0 > update } == true)
        }
    }

    @Test func onlyTheLastActionPublishesAStatus() {
        let states: Set<RatePlan.Action> = [
            .publishPaused, .publishPlaying, .publishWaitingForItem, .publishWaitingForData,
        ]
        for actions in Self.plans.map(\.actions) where !actions.isEmpty {
            #expect(actions.filter(states.contains).count == 1 && actions.last.map(states.contains) == true)
        }
    }
}
