/// Builds one message: little-endian integers, strings and nothing else. Never longer than ``WireLimits/messageBytes``.
package struct MessageWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// A string of at most ``WireLimits/stringBytes``; a longer one is cut at a character.
    package mutating func write(_ value: String) {
        var text = value
        while text.utf8.count > WireLimits.stringBytes { text.removeLast() }
        write(UInt16(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// The bounds of everything that goes over a socket.
package enum WireLimits {
    package static let messageBytes = 8192
    package static let stringBytes = 1024
    /// Descriptors with one message.
    package static let descriptors = 8
}

/// A message that is not what it claims to be. The peer that sent it is not listened to any longer.
package struct MalformedMessage: Error, Sendable, Equatable, CustomStringConvertible {
    package let what: String
    /// Whether the kind of the message is not known to this build. Such a message may be valid.
    package let isUnknown: Bool
    package init(_ what: String, isUnknown: Bool = false) { (self.what, self.isUnknown) = (what, isUnknown) }
    package var description: String { "malformed message: \(what)" }
}
