import Glibc
import SystemCalls
import Testing

@testable import SwiftPlayCLI

@Suite struct IPCServerErrorTests {
    @Test(
        "Every message begins with the path of the socket",
        arguments: [
            IPCServerError.badPath("/run/s"), .inUse("/run/s"), .notOurSocket("/run/s"),
            .system(path: "/run/s", SystemCallError(call: "bind", number: EACCES)),
        ])
    func everyMessageBeginsWithTheSocketPath(_ error: IPCServerError) {
        #expect("\(error)".hasPrefix("/run/s: ") && !"\(error)".contains("\n"))
    }

    @Test("The message about an invalid socket path states the maximum length")
    func theMessageOfABadPathContainsTheLimit() {
        #expect("\(IPCServerError.badPath("x"))".contains("\(IPCSocketFile.maximumPathBytes) bytes"))
    }

    @Test("A failed system call is named with its reason")
    func aFailedSystemCallIsNamedWithItsReason() {
        let error = IPCServerError.system(path: "x", SystemCallError(call: "bind", number: EACCES))
        #expect("\(error)".contains("bind") && "\(error)".contains("Permission denied"))
    }
}
