/// A writer that encodes one message of little-endian integers and strings. A message has at most
/// ``WireLimits/messageBytes`` bytes, or ``WireLimits/largeMessageBytes`` on a socket for large messages.
package struct MessageWriter: Sendable {
    /// The bytes of the message that have been encoded so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty message.
    package init() {}

    /// Appends an integer, little-endian.
    package mutating func write<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a boolean as one byte, 0 or 1.
    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// Appends a string of at most ``WireLimits/stringBytes``; truncates a longer string at a character boundary.
    package mutating func write(_ value: String) {
        var text = value
        while text.utf8.count > WireLimits.stringBytes { text.removeLast() }
        write(UInt16(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a text of any length, such as an address, which must not be truncated: its length in bytes (32 bits) and
    /// its UTF-8. The sender keeps the message below the limit of the receiver's ``MessageSocket``.
    package mutating func writeText(_ value: String) {
        write(UInt32(clamping: value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// Appends an optional value: a boolean and, if there is a value, the bytes that `write` appends.
    package mutating func writeOptional<Value>(_ value: Value?, _ write: (inout MessageWriter, Value) -> Void) {
        self.write(value != nil)
        if let value { write(&self, value) }
    }
}

/// The limits that apply to every message on a ``MessageSocket``.
package enum WireLimits {
    /// The default maximum size of one message, in bytes.
    package static let messageBytes = 8192
    /// The maximum size of one message on a socket for large messages, which carry addresses and header fields.
    package static let largeMessageBytes = 65_536
    /// The maximum size of one string, in bytes of UTF-8.
    package static let stringBytes = 1024
    /// The maximum number of file descriptors in one message.
    package static let descriptorCount = 8
}

/// A malformed message. The receiver closes the connection to the sender, except if ``isUnknown`` is true.
package struct MalformedMessage: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fault of the message, such as `a string is cut off`.
    package let detail: String
    /// Whether this build does not know the type of the message. A newer sender may have sent a valid message then.
    package let isUnknown: Bool
    package init(_ detail: String, isUnknown: Bool = false) { (self.detail, self.isUnknown) = (detail, isUnknown) }
    package var description: String { "malformed message: \(detail)" }
}
