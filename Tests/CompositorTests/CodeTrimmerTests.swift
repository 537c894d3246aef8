import Logging
import SystemCalls
import Testing

@testable import Compositor

@Suite struct CodeTrimmerTests {
    private static let second: Int64 = 1_000_000_000

    @Test func codeIsTrimmedThreeSecondsAfterTheLastStart() {
        let trimmer = CodeTrimmer(logger: Logger(label: "test"))
        #expect(trimmer.deadline == nil)
        trimmer.setNeedsTrimming(now: 0)
        trimmer.setNeedsTrimming(now: Self.second)
        #expect(trimmer.deadline == 4 * Self.second)
        trimmer.process([], now: 4 * Self.second - 1)
        #expect(trimmer.deadline == 4 * Self.second)
        trimmer.process([], now: 4 * Self.second)
        #expect(trimmer.deadline == nil)
        // Without a new start, nothing is trimmed again.
        trimmer.process([], now: 100 * Self.second)
        #expect(trimmer.deadline == nil)
    }
}
