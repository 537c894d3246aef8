/// A failure of the connection to an X server, described for the user.
package struct XError: Error, Sendable, CustomStringConvertible {
    /// The description of the failure for the user.
    package let description: String
    /// Creates an error with a description for the user.
    package init(_ description: String) { self.description = description }
}
