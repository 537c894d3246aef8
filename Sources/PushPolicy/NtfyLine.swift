/// A line of the stream of messages of an ntfy server (https://docs.ntfy.sh/subscribe/api/).
package enum NtfyLine: Hashable, Sendable {
    /// A message.
    case message(NtfyMessage)
    /// The beginning of the stream, a sign of life, or an event that is of no interest.
    case other

    /// Reads a line; nil if it is not a line of such a stream.
    package init?(_ line: [UInt8]) {
        guard let members = try? JSONValidator.members(of: line) else { return nil }
        func text(_ name: String) -> String? { if case .string(let text) = members[[name]] { text } else { nil } }
        guard let event = text("event"), let id = text("id") else { return nil }
        guard event == "message", let topic = text("topic"), members[["attachment"]] == nil else {
            self = .other
            return
        }
        let content = text("message") ?? ""
        guard text("encoding") == "base64" else {
            self = .message(NtfyMessage(id: id, topic: topic, bytes: Array(content.utf8)))
            return
        }
        guard let bytes = Base64.decode(content) else { return nil }
        self = .message(NtfyMessage(id: id, topic: topic, bytes: bytes))
    }
}

/// A message that an ntfy server has received for a topic.
package struct NtfyMessage: Hashable, Sendable {
    /// The identifier that the server gave the message, by which a later stream continues.
    package let id: String
    package let topic: String
    package let bytes: [UInt8]

    package init(id: String, topic: String, bytes: [UInt8]) {
        (self.id, self.topic, self.bytes) = (id, topic, bytes)
    }
}

/// The decoder of Base64 (RFC 4648, section 4), with or without padding.
enum Base64 {
    /// Returns the bytes; nil if a character is not valid.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = [], bits: UInt32 = 0, count = 0
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        // Only padding follows padding.
        guard text.utf8.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
        for byte in digits {
            guard let value = value(byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // Six bits are left by a single last character, which encodes no byte.
        return count < 6 ? bytes : nil
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
