import Foundation
import SystemCalls
import Testing

/// The trait of tests whose verdict depends on the machine's speed, such as a comparison of recorded pictures or sound
/// with a clock.
///
/// `scripts/run-tests` runs such tests after all others, one at a time. Its first pass sets `SWIFTPLAY_DEFERRED_TESTS`
/// to a path: the trait then appends the test's identifier to that file instead of running the test. Without the
/// variable the trait changes nothing.
package struct MeasuresTime: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    /// Applies to a test function as a whole: neither to its suite nor to each of its arguments.
    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite || testCase != nil ? nil : self
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard let path = ProcessInfo.processInfo.environment["SWIFTPLAY_DEFERRED_TESTS"] else {
            return try await function()
        }
        guard let file = fopen(path, "a") else { throw RigError("cannot write \(path)") }
        fputs("\(test.id)\n", file)
        fclose(file)
    }
}

extension Trait where Self == MeasuresTime {
    /// Keeps other tests from running at the same time in `scripts/run-tests`.
    package static var measuresTime: Self { Self() }
}
