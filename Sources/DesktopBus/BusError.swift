import CSystemd
import SystemCalls

/// A D-Bus failure: there is no bus, the connection was lost, or the called program returned an error.
package struct BusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The D-Bus error name, such as `org.freedesktop.DBus.Error.NoReply`.
    package let name: String
    /// The text of the error, for logs.
    package let message: String

    /// Creates an error with a D-Bus error name and a text.
    package init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    package var description: String { "\(message) (\(name))" }

    // The error names of the D-Bus specification.
    package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    package static let failed = "org.freedesktop.DBus.Error.Failed"
    package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    package static let noServer = "org.freedesktop.DBus.Error.NoServer"

    /// Creates the error that an error reply contains.
    init(_ message: BusMessage) {
        let error = sd_bus_message_get_error(message.pointer)?.pointee
        self.init(
            error?.name.map { String(cString: $0) } ?? Self.failed,
            error?.message.map { String(cString: $0) } ?? "no reason given")
    }
}

/// Checks the result of an sd-bus function.
///
/// - Throws: ``BusError`` if `result` is a negative `errno`.
@discardableResult
func busCall(_ name: String, _ result: Int32) throws(BusError) -> Int32 {
    guard result < 0 else { return result }
    let systemCallError = SystemCallError(call: name, number: 0 &- result)
    throw BusError(BusError.failed, systemCallError.description)
}
