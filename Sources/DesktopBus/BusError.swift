import CSystemd
import SystemCalls

/// What went wrong on the bus: there is none, it was lost, or who was called answered with an error.
package struct BusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// As D-Bus has it: `org.freedesktop.DBus.Error.NoReply`.
    package let name: String
    package let message: String

    package init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    package var description: String { "\(message) (\(name))" }

    package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    package static let failed = "org.freedesktop.DBus.Error.Failed"
    package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    package static let noServer = "org.freedesktop.DBus.Error.NoServer"

    init(_ message: BusMessage) {
        let error = sd_bus_message_get_error(message.pointer)?.pointee
        self.init(
            error?.name.map { String(cString: $0) } ?? Self.failed,
            error?.message.map { String(cString: $0) } ?? "no reason given")
    }
}

/// Runs a function of sd-bus, which reports failure as a negative errno.
@discardableResult
func busCall(_ name: String, _ result: Int32) throws(BusError) -> Int32 {
    guard result < 0 else { return result }
    let failure = SystemCallError(call: name, number: 0 &- result)
    throw BusError(BusError.failed, failure.description)
}
