/// A reader that decodes one message. Every read is checked against the remaining bytes.
package struct MessageReader: Sendable {
    /// The bytes of the message that have not been read yet.
    private var unreadBytes: ArraySlice<UInt8>

    /// Creates a reader for the message that consists of `bytes`.
    package init(_ bytes: ArraySlice<UInt8>) { unreadBytes = bytes }
    /// Creates a reader for the message that consists of `bytes`.
    package init(_ bytes: [UInt8]) { unreadBytes = bytes[...] }

    /// Reads the next little-endian integer.
    package mutating func read<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(MalformedMessage) -> T {
        let byteCount = MemoryLayout<T>.size
        guard unreadBytes.count >= byteCount else { throw MalformedMessage("an integer is cut off") }
        var value: T = 0
        withUnsafeMutableBytes(of: &value) { target in
            for (offset, byte) in unreadBytes.prefix(byteCount).enumerated() { target[offset] = byte }
        }
        unreadBytes = unreadBytes.dropFirst(byteCount)
        return T(littleEndian: value)
    }

    /// Reads the next byte as a boolean; rejects values other than 0 and 1.
    package mutating func read(_ type: Bool.Type = Bool.self) throws(MalformedMessage) -> Bool {
        switch try read(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw MalformedMessage("a boolean is neither 0 nor 1")
        }
    }

    /// Reads the length of a string in bytes (16 bits), and then the string, which is UTF-8 of at most
    /// ``WireLimits/stringBytes``.
    package mutating func read(_ type: String.Type = String.self) throws(MalformedMessage) -> String {
        let byteCount = Int(try read(UInt16.self))
        guard byteCount <= WireLimits.stringBytes else { throw MalformedMessage("a string is too long") }
        guard unreadBytes.count >= byteCount else { throw MalformedMessage("a string is cut off") }
        guard let string = String(validating: unreadBytes.prefix(byteCount), as: UTF8.self) else {
            throw MalformedMessage("a string is not UTF-8")
        }
        unreadBytes = unreadBytes.dropFirst(byteCount)
        return string
    }

    /// Reads a text that ``MessageWriter/writeText(_:)`` has written.
    ///
    /// - Parameter limit: The maximum length of the text, in bytes of UTF-8.
    package mutating func readText(limit: Int) throws(MalformedMessage) -> String {
        guard let byteCount = Int(exactly: try read(UInt32.self)), byteCount <= limit else {
            throw MalformedMessage("a text is too long")
        }
        guard unreadBytes.count >= byteCount else { throw MalformedMessage("a text is cut off") }
        guard let text = String(validating: unreadBytes.prefix(byteCount), as: UTF8.self) else {
            throw MalformedMessage("a text is not UTF-8")
        }
        unreadBytes = unreadBytes.dropFirst(byteCount)
        return text
    }

    /// Reads an optional value, which a boolean precedes.
    package mutating func readOptional<Value>(
        _ read: (inout MessageReader) throws(MalformedMessage) -> Value
    ) throws(MalformedMessage) -> Value? {
        try self.read(Bool.self) ? try read(&self) : nil
    }

    /// Throws an error if the message has unread bytes. In that case the sender uses another message format.
    package func expectEnd() throws(MalformedMessage) {
        guard unreadBytes.isEmpty else { throw MalformedMessage("\(unreadBytes.count) bytes are left over") }
    }
}
