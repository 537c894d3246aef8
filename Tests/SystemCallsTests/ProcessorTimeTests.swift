import Glibc
import SystemCalls
import Testing

@Suite struct ProcessorTimeTests {
    @Test func theTimeOfThisProcessGrows() {
        let first = ProcessorTime.used(by: getpid())
        #expect(first > 0 && ProcessorTime.used(by: getpid()) >= first)
    }

    @Test func aProcessThatDoesNotExistHasUsedNothing() {
        // The kernel's greatest process ID is 2^22.
        #expect(ProcessorTime.used(by: (1 << 22) + 1) == 0 && ProcessorTime.used(by: 0) == 0)
    }
}
