/// Parses one message. Every read is checked against the remaining bytes.
package struct MessageReader: Sendable {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package mutating func read<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(MalformedMessage) -> T {
        let size = MemoryLayout<T>.size
        guard rest.count >= size else { throw MalformedMessage("an integer is cut off") }
        var value: T = 0
        withUnsafeMutableBytes(of: &value) { target in
            for (offset, byte) in rest.prefix(size).enumerated() { target[offset] = byte }
        }
        rest = rest.dropFirst(size)
        return T(littleEndian: value)
    }

    package mutating func read(_ type: Bool.Type = Bool.self) throws(MalformedMessage) -> Bool {
        switch try read(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw MalformedMessage("a boolean is neither 0 nor 1")
        }
    }

    package mutating func read(_ type: String.Type = String.self) throws(MalformedMessage) -> String {
        let count = Int(try read(UInt16.self))
        guard count <= WireLimits.stringBytes else { throw MalformedMessage("a string is too long") }
        guard rest.count >= count else { throw MalformedMessage("a string is cut off") }
        guard let text = String(validating: rest.prefix(count), as: UTF8.self) else {
            throw MalformedMessage("a string is not UTF-8")
        }
        rest = rest.dropFirst(count)
        return text
    }

    /// Checks that all bytes were read: a longer message is a different message.
    package func finish() throws(MalformedMessage) {
        guard rest.isEmpty else { throw MalformedMessage("\(rest.count) bytes are left over") }
    }
}
