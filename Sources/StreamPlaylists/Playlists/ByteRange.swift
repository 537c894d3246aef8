/// A part of a resource (RFC 8216, section 4.3.2.2).
package struct ByteRange: Sendable, Hashable {
    /// The offset of the range's first byte in the resource, counted from 0.
    package let offset: Int
    /// The number of bytes in the range, at least 1.
    package let length: Int

    /// Creates a range; nil if its end is not representable.
    package init?(offset: Int, length: Int) {
        guard offset >= 0, length > 0, !offset.addingReportingOverflow(length).overflow else { return nil }
        self.offset = offset
        self.length = length
    }

    /// The offset of the byte after the range.
    package var end: Int { offset + length }

    /// Reads `length@offset`; the offset is nil if the text contains only a length. Returns nil if the text is
    /// malformed.
    package static func parse(_ text: some Collection<UInt8>) -> (length: Int, offset: Int?)? {
        let atSign = text.firstIndex(of: UInt8(ascii: "@")) ?? text.endIndex
        guard let length = DecimalText.integer(text[..<atSign]) else { return nil }
        guard atSign != text.endIndex else { return (length, nil) }
        guard let offset = DecimalText.integer(text[atSign...].dropFirst()) else { return nil }
        return (length, offset)
    }
}
