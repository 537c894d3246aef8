import WireFormat

/// The SHA-256 digest that a program expects of a file.
package struct ContentDigest: Equatable, Sendable {
    /// The size of a digest, in bytes.
    package static let byteCount = 32

    /// The digest.
    package let bytes: [UInt8]

    /// Creates a digest; nil if `bytes` has another size.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Creates a digest from hexadecimal digits, as `sha256sum` prints them; nil if `text` is something else.
    package init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 2 * Self.byteCount, digits.count == text.utf8.count else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Appends the digest to a message.
    func write(to writer: inout MessageWriter) {
        for byte in bytes { writer.write(byte) }
    }

    /// Reads a digest.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        var bytes: [UInt8] = []
        for _ in 0..<Self.byteCount { bytes.append(try reader.read()) }
        self.bytes = bytes
    }
}
