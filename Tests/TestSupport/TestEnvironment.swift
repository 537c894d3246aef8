import Foundation
import SystemCalls

/// The environment of the tests: an X server, a sound server with a sink that tests can record, and a private
/// `XDG_RUNTIME_DIR`. `scripts/desk` sets the environment up; `scripts/test` runs the tests in this environment.
package enum TestEnvironment {
    /// Ensures that at most one test runs inside ``runExclusively(isolation:_:)``, and lists the waiting tests.
    private static let exclusiveAccess = Monitor(ExclusiveAccess())

    /// Checks that the test environment is set up.
    ///
    /// - Throws: ``TestFailure`` with the missing variables and the command that sets them.
    package static func checkIsSetUp() throws(TestFailure) {
        let environment = ProcessInfo.processInfo.environment
        let missingVariables = ["DISPLAY", "PULSE_SERVER", "XDG_RUNTIME_DIR", "ALSA_CONFIG_PATH"].filter {
            (environment[$0] ?? "").isEmpty
        }
        guard missingVariables.isEmpty else {
            throw TestFailure(
                "the test environment lacks \(missingVariables.joined(separator: ", ")): run scripts/test")
        }
    }

    /// Runs `body` while no other test of this process runs inside this method.
    ///
    /// Tests share one screen and one sound server. A test that watches the screen, records sound or measures time runs
    /// inside this method. `body` must not call this method again.
    ///
    /// - Returns: the result of `body`.
    /// - Throws: ``TestFailure`` if the test environment is not set up, or the error of `body`.
    package static func runExclusively<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try checkIsSetUp()
        await withCheckedContinuation { continuation in
            let canStart = exclusiveAccess.withLock { access in
                guard access.isTaken else {
                    access.isTaken = true
                    return true
                }
                access.waitingTests.append(continuation)
                return false
            }
            if canStart { continuation.resume() }
        }
        defer { releaseExclusiveAccess() }
        return try await body()
    }

    /// Ends the exclusive access of a test and starts the first waiting test.
    private static func releaseExclusiveAccess() {
        let waitingTest = exclusiveAccess.withLock { access -> CheckedContinuation<Void, Never>? in
            guard !access.waitingTests.isEmpty else {
                access.isTaken = false
                return nil
            }
            return access.waitingTests.removeFirst()
        }
        waitingTest?.resume()
    }

    private struct ExclusiveAccess {
        /// Whether a test runs inside ``TestEnvironment/runExclusively(isolation:_:)``.
        var isTaken = false
        var waitingTests: [CheckedContinuation<Void, Never>] = []
    }
}
