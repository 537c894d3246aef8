import Glibc
import SystemCalls

/// Simulates a process that has run out of file descriptors (`EMFILE`).
package enum DescriptorShortage {
    /// Runs `body` on a new thread whose file descriptor table is full. All other threads keep the descriptor table of
    /// the process.
    ///
    /// - Returns: the result of `body`.
    /// - Throws: ``TestFailure`` if the thread cannot unshare its descriptor table.
    package static func during<Result: Sendable>(_ body: @escaping @Sendable () -> Result) throws -> Result {
        let sharedResult = Monitor<Swift.Result<Result, TestFailure>?>(nil)
        let thread = try NamedThread("few descriptors") {
            let result =
                Self.fillDescriptorTable().map { Swift.Result<Result, TestFailure>.failure($0) } ?? .success(body())
            sharedResult.update { $0 = result }
        }
        thread.join()
        guard let result = sharedResult.withLock({ $0 }) else {
            throw TestFailure("the thread exited without a result")
        }
        return try result.get()
    }

    /// Gives the calling thread a separate file descriptor table and fills it. The kernel frees the table when the
    /// thread exits.
    ///
    /// - Returns: the error; nil if the table was filled.
    private static func fillDescriptorTable() -> TestFailure? {
        // 0x400 is CLONE_FILES of sched.h. Swift imports neither the constant nor `unshare`.
        typealias Unshare = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(nil, "unshare"), unsafeBitCast(symbol, to: Unshare.self)(0x400) == 0 else {
            return TestFailure("unshare: \(SystemCallError(call: "unshare", number: errno).reason)")
        }
        while dup(STDERR_FILENO) >= 0 {}
        return errno == EMFILE ? nil : TestFailure("dup: \(SystemCallError(call: "dup", number: errno).reason)")
    }
}
