import WireFormat

/// A header field of a request or a response.
package struct HeaderField: Equatable, Sendable {
    /// The name of the field, in any case.
    package let name: String
    /// The value of the field, without surrounding spaces.
    package let value: String
    /// Whether the field carries a secret: it is not sent to another origin and is not logged.
    package let isSecret: Bool

    /// Creates a field.
    package init(_ name: String, _ value: String, isSecret: Bool = false) {
        (self.name, self.value, self.isSecret) = (name, value, isSecret)
    }

    /// The fault of the field, such as a line break in its value, which would add further fields to the request; nil if
    /// the field is valid (RFC 9110, section 5).
    package var fault: String? {
        if name.isEmpty || !name.utf8.allSatisfy(HeaderField.isTokenByte) { return "a header field has no valid name" }
        if value.utf8.contains(where: { $0 != 9 && ($0 < 0x20 || $0 == 0x7F) }) {
            return "the header field \(name) has a control character"
        }
        return nil
    }

    /// Returns whether a byte may occur in the name of a header field or in a method (a `tchar` of RFC 9110).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Appends the field to a message.
    func write(to writer: inout MessageWriter) {
        writer.writeText(name)
        writer.writeText(value)
        writer.write(isSecret)
    }

    /// Reads a field; rejects an invalid one.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            try reader.readText(limit: EngineLimits.fieldBytes), try reader.readText(limit: EngineLimits.fieldBytes),
            isSecret: try reader.read())
        if let fault { throw MalformedMessage(fault) }
    }
}

extension [HeaderField] {
    /// The fault of the list: an invalid field, too many fields or too many bytes; nil if the list is valid.
    package var fault: String? {
        if count > EngineLimits.fieldCount { return "there are more than \(EngineLimits.fieldCount) header fields" }
        if reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) > EngineLimits.fieldBytes {
            return "the header fields have more than \(EngineLimits.fieldBytes) bytes"
        }
        return lazy.compactMap(\.fault).first
    }
}

/// The fields of a request in a message, and in the file of secrets.
extension Array: StoredValue where Element == HeaderField {
    /// Appends the fields to a message.
    package func write(to writer: inout MessageWriter) {
        writer.write(UInt8(clamping: count))
        for field in self { field.write(to: &writer) }
    }

    /// Reads fields; rejects an invalid list.
    package init(from reader: inout MessageReader) throws(MalformedMessage) {
        self = []
        for _ in 0..<(try reader.read(UInt8.self)) { append(try HeaderField(from: &reader)) }
        if let fault { throw MalformedMessage(fault) }
    }
}
