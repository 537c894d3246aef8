/// An error of the test environment or of a test helper, such as a timeout. The error fails the test; tests are never
/// skipped because of an error.
package struct TestFailure: Error, CustomStringConvertible, Sendable {
    package let description: String
    package init(_ description: String) { self.description = description }
}
