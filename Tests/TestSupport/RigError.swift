/// Why a test cannot see, hear or run what it must. A test that gets one fails: nothing here is ever skipped.
package struct RigError: Error, CustomStringConvertible, Sendable {
    package let description: String
    package init(_ description: String) { self.description = description }
}
