import Glibc
import SystemCalls
import Testing

@testable import SwiftPlayCLI

@Suite struct IPCServerErrorTests {
    @Test(
        "Every message contains the path of the socket",
        arguments: [
            IPCServerError.badPath("/run/s"), .inUse("/run/s"), .notOurSocket("/run/s"),
            .system(path: "/run/s", SystemCallError(call: "bind", number: EACCES)),
        ])
    func everyMessageContainsTheSocketPath(_ error: IPCServerError) {
        #expect("\(error)".contains("/run/s: ") && !"\(error)".contains("\n"))
    }

    @Test("The message about an invalid socket path states the maximum length")
    func theMessageOfABadPathContainsTheLimit() {
        #expect("\(IPCServerError.badPath("x"))".contains("\(IPCSocketFile.maximumPathBytes) bytes"))
    }

    @Test("The message about a failed system call states the reason and not the call")
    func theMessageOfAFailedSystemCallStatesTheReason() {
        let error = IPCServerError.system(path: "/nosuch/sock", SystemCallError(call: "bind", number: ENOENT))
        #expect("\(error)" == "cannot create the IPC socket /nosuch/sock: No such file or directory")
    }
}
