import Testing
@testable import SwiftPlay

@Suite struct FramePacingTests {
    @Test func aFrameIsShownAtItsTime() {
        #expect(FramePacing.decide(due: 100, successorDue: nil, now: 0) == .show(at: 100))
        #expect(FramePacing.decide(due: 100, successorDue: 200, now: 0) == .show(at: 100))
        #expect(FramePacing.decide(due: 100, successorDue: 200, now: 100) == .show(at: 100))
    }

    @Test func aLateFrameIsShownAsLongAsNothingNewerIsDue() {
        #expect(FramePacing.decide(due: 100, successorDue: 200, now: 199) == .show(at: 100))
        #expect(FramePacing.decide(due: 100, successorDue: nil, now: 100_000) == .show(at: 100))
    }

    @Test func aFrameWhoseSuccessorIsDueIsDropped() {
        #expect(FramePacing.decide(due: 100, successorDue: 200, now: 200) == .drop)
        #expect(FramePacing.decide(due: 100, successorDue: 200, now: 5000) == .drop)
    }

    @Test func framesOfTheSameTimeAreNotDroppedBeforeIt() {
        #expect(FramePacing.decide(due: 100, successorDue: 100, now: 100) == .show(at: 100))
    }

    @Test func theLeadFollowsWhatTheDisplayTakes() {
        var lead = FramePacing.lead
        for _ in 0..<300 { lead = FramePacing.lead(after: lead, delay: 16_000_000) }
        #expect((15_900_000...16_000_000).contains(lead))
        for _ in 0..<300 { lead = FramePacing.lead(after: lead, delay: .max) }
        #expect(lead <= FramePacing.longestLead)
        for _ in 0..<300 { lead = FramePacing.lead(after: lead, delay: .min) }
        #expect((0..<100_000).contains(lead))
    }
}
