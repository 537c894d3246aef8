import SystemCalls
import Testing

@testable import VideoOutput

@Suite struct CommandOutputTests {
    @Test func theOutputOfACommandIsRead() {
        let deadline = MonotonicTime.now + 20_000_000_000
        #expect(CommandOutput.read("sh", ["-c", "printf 'a b'"], until: deadline) == "a b")
        #expect(CommandOutput.read("sh", ["-c", "printf a; exit 1"], until: deadline) == nil)
        #expect(CommandOutput.read("sh", ["-c", "head -c 9999 /dev/zero"], until: deadline) == nil)
        #expect(CommandOutput.read("no-such-program", [], until: deadline) == nil)
    }

    @Test func aCommandThatMissesTheDeadlineIsKilled() {
        #expect(CommandOutput.read("sleep", ["60"], until: MonotonicTime.now) == nil)
    }
}
