/// Decoding of percent-encoded text (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Decodes each `%` followed by two hexadecimal digits. Every other `%` stays.
    package static func decoded(_ text: String) -> String { String(decoding: decodedBytes(text), as: UTF8.self) }

    /// Decodes like ``decoded(_:)``, for text that is not UTF-8.
    package static func decodedBytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var remainingBytes = Array(text.utf8)[...]
        while let byte = remainingBytes.popFirst() {
            let digits = remainingBytes.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] * 16 + digits[1]))
                remainingBytes = remainingBytes.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
