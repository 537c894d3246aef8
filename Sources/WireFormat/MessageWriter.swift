/// Builds one message of little-endian integers and strings. A message has at most ``WireLimits/messageBytes`` bytes.
package struct MessageWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// Appends a string of at most ``WireLimits/stringBytes``; truncates a longer string at a character boundary.
    package mutating func write(_ value: String) {
        var text = value
        while text.utf8.count > WireLimits.stringBytes { text.removeLast() }
        write(UInt16(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// The limits of all messages on a socket.
package enum WireLimits {
    package static let messageBytes = 8192
    package static let stringBytes = 1024
    /// The maximum number of descriptors in one message.
    package static let descriptors = 8
}

/// A malformed message. The connection to its sender is closed.
package struct MalformedMessage: Error, Sendable, Equatable, CustomStringConvertible {
    package let what: String
    /// Whether this build does not know the message's type; the message may be valid.
    package let isUnknown: Bool
    package init(_ what: String, isUnknown: Bool = false) { (self.what, self.isUnknown) = (what, isUnknown) }
    package var description: String { "malformed message: \(what)" }
}
