import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct FramePacingTests {
    @Test func lateFrameIsShownIfNoNewerFrameIsDue() {
        for now: Int64 in [0, 100, 199] { #expect(!FramePacing.isOver(due: 100, successorDue: 200, now: now)) }
    }

    @Test func frameIsOverdueIfItsSuccessorIsDue() {
        for now: Int64 in [200, 5000] { #expect(FramePacing.isOver(due: 100, successorDue: 200, now: now)) }
    }

    @Test func framesWithEqualTimesAreNotOverdueBeforeThatTime() {
        #expect(!FramePacing.isOver(due: 100, successorDue: 100, now: 100))
    }

    @Test("a short hiccup drops no frame; a second one soon afterwards drops frames immediately")
    func hiccupDropsNoFrames() {
        var grace = FrameGrace()
        func drops(_ isOver: Bool...) -> [Bool] { isOver.map { grace.drops($0) } }
        func drops(_ isOver: Bool, times: Int) -> Bool { (0..<times).map { _ in grace.drops(isOver) }.contains(true) }
        #expect(!drops(true, times: FrameGrace.limit))
        #expect(drops(true, false, true) == [true, false, true], "a frame in time is never dropped")
        #expect(!drops(false, times: FrameGrace.recovery - 1))
        #expect(drops(true) == [true], "too few consecutive frames were in time")
        #expect(!drops(false, times: FrameGrace.recovery) && !drops(true, times: FrameGrace.limit))
        #expect(drops(true) == [true])
    }

    @Test(
        "if drawing takes three frame durations, every third frame is shown and the others count as dropped"
    )
    func slowDisplayDropsFrames() async throws {
        try await Desk.alone {
            let rig = try Rig("count30.mp4")
            rig.layer.router.setOutput(TestOutput(effort: 100))
            rig.player.play()
            try rig.waitForFrames(8)
            let statistics = rig.player.statistics
            #expect(statistics.framesDropped >= statistics.framesPresented && rig.count("playedToEnd") == 0)
            // The player must still handle commands.
            rig.player.pause()
            #expect(Deadline.poll(for: .seconds(10)) { rig.player.timeControlStatus == .paused ? true : nil } == true)
            #expect(rig.count("playedToEnd") == 0)
            rig.player.close()
        }
    }

    @Test func leadFollowsTheMeasuredDisplayDelay() {
        var lead = FramePacing.lead
        for _ in 0..<300 { lead = FramePacing.lead(after: lead, delay: 16_000_000) }
        #expect((15_900_000...16_000_000).contains(lead))
        for _ in 0..<300 { lead = FramePacing.lead(after: lead, delay: .max) }
        #expect(lead <= FramePacing.longestLead)
        for _ in 0..<300 { lead = FramePacing.lead(after: lead, delay: .min) }
        #expect((0..<100_000).contains(lead))
    }
}
