import CUchardet

/// The rule that selects the character set of subtitle files.
package enum SubtitleCharacterSet: Sendable, Hashable {
    /// UTF-8 if the text is valid UTF-8, otherwise the character set that is detected.
    case automatic
    /// UTF-8 if the text is valid UTF-8, otherwise this character set.
    case fallback(String)
    /// This character set, also if the text is valid UTF-8.
    case forced(String)

    /// Whether the C library can convert the character set.
    package var isSupported: Bool {
        switch self {
        case .automatic: true
        case .fallback(let name), .forced(let name): TextEncoding.isSupported(name)
        }
    }
}

/// Conversion of text in an unknown character set to UTF-8.
enum TextEncoding {
    /// The number of bytes that the detection of the character set reads.
    private static let sampleByteCount = 1 << 18

    /// Returns the text in UTF-8 without a byte order mark. Unless the character set is forced, a byte order mark
    /// states it; text without one is converted from the character set that `characterSet` selects.
    static func utf8(_ bytes: [UInt8], _ characterSet: SubtitleCharacterSet = .automatic) throws(MediaError) -> [UInt8]
    {
        let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if case .forced(let name) = characterSet {
            let text = try convert(bytes, from: name)
            return text.starts(with: utf8Mark) ? Array(text.dropFirst(utf8Mark.count)) : text
        }
        if bytes.starts(with: utf8Mark) { return Array(bytes.dropFirst(utf8Mark.count)) }
        if bytes.starts(with: [0xFF, 0xFE]) { return try convert(Array(bytes.dropFirst(2)), from: "UTF-16LE") }
        if bytes.starts(with: [0xFE, 0xFF]) { return try convert(Array(bytes.dropFirst(2)), from: "UTF-16BE") }
        if isUTF8(bytes) { return bytes }
        if case .fallback(let name) = characterSet { return try convert(bytes, from: name) }
        guard let name = detectCharacterSet(bytes), let text = try? convert(bytes, from: name) else {
            return try convert(bytes, from: "WINDOWS-1252")
        }
        return text
    }

    /// Returns whether the C library can convert a character set.
    static func isSupported(_ name: String) -> Bool {
        guard let converter = cuchardet_iconv_open(name) else { return false }
        iconv_close(converter)
        return true
    }

    /// Returns whether the bytes are valid UTF-8.
    static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// Returns the name of the character set that uchardet detects; nil if detection fails.
    static func detectCharacterSet(_ bytes: [UInt8]) -> String? {
        guard let detector = uchardet_new() else { return nil }
        defer { uchardet_delete(detector) }
        let usedByteCount = min(bytes.count, sampleByteCount)
        let code = bytes.withUnsafeBytes {
            uchardet_handle_data(detector, $0.baseAddress?.assumingMemoryBound(to: CChar.self), usedByteCount)
        }
        uchardet_data_end(detector)
        guard code == 0, let name = uchardet_get_charset(detector) else { return nil }
        let text = String(cString: name)
        return text.isEmpty || text == "ASCII" ? nil : text
    }

    /// Converts text; bytes that cannot be converted become question marks.
    private static func convert(_ bytes: [UInt8], from name: String) throws(MediaError) -> [UInt8] {
        guard let converter = cuchardet_iconv_open(name) else {
            throw MediaError(.unsupportedFormat, "has the unsupported text encoding \(name)")
        }
        defer { iconv_close(converter) }
        var input = bytes
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = input.count
        input.withUnsafeMutableBytes { source in
            var inputPointer = source.baseAddress?.assumingMemoryBound(to: CChar.self)
            var remainingByteCount = count
            while remainingByteCount > 0 {
                let previousByteCount = remainingByteCount
                chunk.withUnsafeMutableBytes { target in
                    var outputPointer = target.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var remainingCapacity = target.count
                    _ = iconv(converter, &inputPointer, &remainingByteCount, &outputPointer, &remainingCapacity)
                    result += target.prefix(target.count - remainingCapacity)
                }
                if remainingByteCount == previousByteCount {
                    // iconv neither read input nor filled the output, so the next byte is invalid: skip it.
                    result.append(UInt8(ascii: "?"))
                    inputPointer = inputPointer?.advanced(by: 1)
                    remainingByteCount -= 1
                }
            }
        }
        return result
    }
}
