import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct FramePacingTests {
    @Test func lateFrameIsShownIfNoNewerFrameIsDue() {
        for now: Int64 in [0, 100, 199] { #expect(!FramePacing.isExpired(due: 100, successorDue: 200, now: now)) }
    }

    @Test func frameIsExpiredIfItsSuccessorIsDue() {
        for now: Int64 in [200, 5000] { #expect(FramePacing.isExpired(due: 100, successorDue: 200, now: now)) }
    }

    @Test func frameIsNotExpiredAtItsOwnDueTime() {
        #expect(!FramePacing.isExpired(due: 100, successorDue: 100, now: 100))
    }

    @Test("a short delay drops no frame; a second delay soon afterwards drops frames immediately")
    func shortDelayDropsNoFrames() {
        var policy = FrameDropPolicy()
        /// Returns for each frame whether the policy drops it. `isExpired` states which frames are too late.
        func drops(_ isExpired: Bool...) -> [Bool] { isExpired.map { policy.drops($0) } }
        /// Returns whether the policy drops any of `times` frames; `isExpired` states whether they are too late.
        func drops(_ isExpired: Bool, times: Int) -> Bool {
            (0..<times).map { _ in policy.drops(isExpired) }.contains(true)
        }
        #expect(!drops(true, times: FrameDropPolicy.shownLateFrameLimit))
        #expect(drops(true, false, true) == [true, false, true], "a frame in time is never dropped")
        #expect(!drops(false, times: FrameDropPolicy.recoveryFrameCount - 1))
        #expect(drops(true) == [true], "too few consecutive frames were in time")
        #expect(
            !drops(false, times: FrameDropPolicy.recoveryFrameCount)
                && !drops(true, times: FrameDropPolicy.shownLateFrameLimit))
        #expect(drops(true) == [true])
    }

    @Test(
        "if drawing takes three frame durations, at least as many frames are dropped as shown"
    )
    func slowOutputDropsFrames() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            fixture.layer.router.setOutput(TestOutput(drawingMilliseconds: 100))
            fixture.player.play()
            try fixture.waitForFrames(8)
            let statistics = fixture.player.statistics
            #expect(statistics.framesDropped >= statistics.framesPresented && fixture.count("playedToEnd") == 0)
            // A player with a slow output must still handle commands.
            fixture.player.pause()
            #expect(
                Deadline.poll(for: .seconds(10)) { fixture.player.timeControlStatus == .paused ? true : nil } == true)
            #expect(fixture.count("playedToEnd") == 0)
            fixture.player.close()
        }
    }

    @Test func leadTimeFollowsTheMeasuredDisplayDelay() {
        var leadTime = FramePacing.initialLeadTime
        for _ in 0..<300 { leadTime = FramePacing.correctedLeadTime(after: leadTime, delay: 16_000_000) }
        #expect((15_900_000...16_000_000).contains(leadTime))
        for _ in 0..<300 { leadTime = FramePacing.correctedLeadTime(after: leadTime, delay: .max) }
        #expect(leadTime <= FramePacing.maximumLeadTime)
        for _ in 0..<300 { leadTime = FramePacing.correctedLeadTime(after: leadTime, delay: .min) }
        #expect((0..<100_000).contains(leadTime))
    }
}
