import Glibc
import Testing

@testable import SystemCalls

@Suite struct SystemCallErrorTests {
    @Test func errorDescriptionNamesTheSystemCallAndTheReason() {
        #expect("\(SystemCallError(call: "open", number: ENOENT))" == "open: No such file or directory")
        #expect(SystemCallError(call: "x", number: 123_456).reason.contains("123456"))
    }

    @Test func failedSystemCallThrowsItsErrno() {
        #expect(throws: SystemCallError(call: "close", number: EBADF)) { try systemCall("close") { close(-1) } }
    }

    @Test func interruptedSystemCallIsRepeated() throws {
        var callCount = 0
        let result = try systemCall("test") { () -> Int32 in
            callCount += 1
            errno = EINTR
            return callCount < 4 ? -1 : 42
        }
        #expect(result == 42 && callCount == 4)
    }
}
