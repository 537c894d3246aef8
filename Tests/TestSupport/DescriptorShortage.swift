import Glibc
import SystemCalls

/// A thread on which no file, socket or event can be opened.
package enum DescriptorShortage {
    /// Runs `body` on a thread of its own whose table of descriptors is full. Other threads keep the process's table.
    ///
    /// - Throws: ``RigError`` when the thread cannot have its own table.
    package static func during<Result: Sendable>(_ body: @escaping @Sendable () -> Result) throws -> Result {
        let answer = Monitor<Swift.Result<Result, RigError>?>(nil)
        let thread = try NamedThread("few descriptors") {
            let made = Self.fillOwnTable().map { Swift.Result<Result, RigError>.failure($0) } ?? .success(body())
            answer.update { $0 = made }
        }
        thread.join()
        guard let made = answer.withLock({ $0 }) else { throw RigError("the thread ended without an answer") }
        return try made.get()
    }

    /// Returns what went wrong. The thread's own table ends with the thread.
    private static func fillOwnTable() -> RigError? {
        // CLONE_FILES, of sched.h. Not imported into Swift.
        typealias Unshare = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(nil, "unshare"), unsafeBitCast(symbol, to: Unshare.self)(0x400) == 0 else {
            return RigError("unshare: \(SystemCallError(call: "unshare", number: errno).reason)")
        }
        while dup(STDERR_FILENO) >= 0 {}
        return errno == EMFILE ? nil : RigError("dup: \(SystemCallError(call: "dup", number: errno).reason)")
    }
}
