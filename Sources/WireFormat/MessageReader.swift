/// A reader that decodes one message. Every read is checked against the remaining bytes.
package struct MessageReader: Sendable {
    /// The bytes of the message that were not read yet.
    private var remaining: ArraySlice<UInt8>

    /// Creates a reader for the message that consists of `bytes`.
    package init(_ bytes: ArraySlice<UInt8>) { remaining = bytes }
    /// Creates a reader for the message that consists of `bytes`.
    package init(_ bytes: [UInt8]) { remaining = bytes[...] }

    /// Reads the next little-endian integer.
    package mutating func read<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(MalformedMessage) -> T {
        let size = MemoryLayout<T>.size
        guard remaining.count >= size else { throw MalformedMessage("an integer is cut off") }
        var value: T = 0
        withUnsafeMutableBytes(of: &value) { target in
            for (offset, byte) in remaining.prefix(size).enumerated() { target[offset] = byte }
        }
        remaining = remaining.dropFirst(size)
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

    /// Reads a UTF-8 string of at most ``WireLimits/stringBytes`` after its length (16 bits).
    package mutating func read(_ type: String.Type = String.self) throws(MalformedMessage) -> String {
        let count = Int(try read(UInt16.self))
        guard count <= WireLimits.stringBytes else { throw MalformedMessage("a string is too long") }
        guard remaining.count >= count else { throw MalformedMessage("a string is cut off") }
        guard let text = String(validating: remaining.prefix(count), as: UTF8.self) else {
            throw MalformedMessage("a string is not UTF-8")
        }
        remaining = remaining.dropFirst(count)
        return text
    }

    /// Throws if bytes of the message have not been read: the sender then uses another message format.
    package func expectEnd() throws(MalformedMessage) {
        guard remaining.isEmpty else { throw MalformedMessage("\(remaining.count) bytes are left over") }
    }
}
