import TestSupport
import Testing

@testable import SystemCalls

@Suite struct CodeTrimmerTests {
    private static let second: Int64 = 1_000_000_000

    @Test func codeIsTrimmedThreeSecondsAfterTheLastStart() {
        let trimCount = Monitor(0)
        let trimmer = CodeTrimmer(trim: { trimCount.update { $0 += 1 } })
        #expect(trimmer.deadline == nil)
        trimmer.setNeedsTrimming(now: 0)
        trimmer.setNeedsTrimming(now: Self.second)
        #expect(trimmer.deadline == 4 * Self.second)
        trimmer.process([], now: 4 * Self.second - 1)
        #expect(trimmer.deadline == 4 * Self.second && trimCount.withLock { $0 } == 0)
        trimmer.process([], now: 4 * Self.second)
        #expect(trimmer.deadline == nil)
        let hasTrimmed = trimCount.wait(until: Deadline.after(.seconds(30))) { $0 == 1 ? true : nil }
        #expect(hasTrimmed == true)
        // Without a new call of `setNeedsTrimming`, no trimming is planned.
        trimmer.process([], now: 100 * Self.second)
        #expect(trimmer.deadline == nil)
    }

    @Test func theEndReleasesTheThread() {
        let trimCount = Monitor(0)
        let trimmer = CodeTrimmer(trim: { trimCount.update { $0 += 1 } })
        trimmer.setNeedsTrimming(now: 0)
        trimmer.process([], now: 4 * Self.second)
        // A thread that is neither joined nor detached violates a precondition.
        trimmer.end()
        #expect(trimCount.wait(until: Deadline.after(.seconds(30))) { $0 == 1 ? true : nil } == true)
    }

    @Test func theEndCancelsAPlannedTrimming() {
        let trimCount = Monitor(0)
        let trimmer = CodeTrimmer(trim: { trimCount.update { $0 += 1 } })
        trimmer.setNeedsTrimming(now: 0)
        trimmer.end()
        trimmer.process([], now: 100 * Self.second)
        #expect(trimmer.deadline == nil && trimCount.withLock { $0 } == 0)
    }
}
