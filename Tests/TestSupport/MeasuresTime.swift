import Foundation
import SystemCalls
import Testing

/// The Swift Testing trait of tests whose result depends on the speed of the machine, such as a comparison of recorded
/// frames or sound with a clock.
///
/// `scripts/run-tests` runs such tests after all others, beside few of their kind. The first pass sets
/// `SWIFTPLAY_DEFERRED_TESTS` to a path: the trait then appends the identifier of the test to that file instead of
/// running the test. Without the variable, the test runs normally.
package struct MeasuresTime: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    /// Returns the trait for a test function, so that ``provideScope(for:testCase:performing:)`` runs once for all of
    /// the function's arguments; nil for a suite and for a single argument.
    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite || testCase != nil ? nil : self
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard let path = ProcessInfo.processInfo.environment["SWIFTPLAY_DEFERRED_TESTS"] else {
            return try await function()
        }
        guard let file = fopen(path, "a") else { throw TestFailure("cannot write \(path)") }
        fputs("\(test.id)\n", file)
        fclose(file)
    }
}

extension Trait where Self == MeasuresTime {
    /// Has `scripts/run-tests` run the test after all others, beside few of its kind.
    package static var measuresTime: Self { Self() }
}
