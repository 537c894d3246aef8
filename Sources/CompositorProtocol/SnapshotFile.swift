/// The file of a program's picture: a PNG image that also contains the program's identifier and the picture's title.
package enum SnapshotFile {
    /// The end of each file's name.
    package static let suffix = ".png"
    /// The largest size of a file, in bytes: the pixels without any compression, and the texts.
    package static let maximumSize = 2 << 20
    /// The longest time since a picture was written for which it is kept, in seconds.
    package static let lifetime: Int64 = 30 * 24 * 3600
    /// The largest number of bytes in an identifier.
    package static let identifierLimit = 255

    /// The texts in a file.
    package struct Texts: Equatable, Sendable {
        /// The identifier of the program.
        package var identifier: String
        /// The title of the picture; empty without one.
        package var title: String
        package init(identifier: String, title: String) { (self.identifier, self.title) = (identifier, title) }
    }

    /// Returns the file name for a program. Different identifiers have different names.
    ///
    /// - Returns: The name; nil if the identifier is empty, too long or contains control characters.
    package static func name(for identifier: String) -> String? {
        guard (1...identifierLimit).contains(identifier.utf8.count),
            !identifier.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        var name = "", isFirst = true
        for byte in identifier.utf8 {
            let scalar = Unicode.Scalar(byte)
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(scalar)
            // A name with a dot at its start would be hidden, or mean a directory.
            case UInt8(ascii: ".") where !isFirst: name.unicodeScalars.append(scalar)
            default: name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
            isFirst = false
        }
        guard name.utf8.count > stemLimit else { return name + suffix }
        // No other name contains a tilde.
        return String(name.prefix(stemLimit - 17)) + "~" + hexadecimal(hash(identifier.utf8)) + suffix
    }

    /// The most bytes of a name before ``suffix``.
    private static let stemLimit = 200

    /// Returns a digest of bytes (FNV-1a).
    package static func hash(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: Texts in the image

    /// The eight bytes with which each PNG image begins, and the length of the header chunk that follows them.
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], headerChunkLength = 25

    /// Returns the image with the texts, which are chunks of the type `iTXt`; nil if the bytes are no PNG image.
    package static func adding(_ texts: Texts, to image: [UInt8]) -> [UInt8]? {
        let headerEnd = signature.count + headerChunkLength
        guard image.starts(with: signature), image.count > headerEnd else { return nil }
        var file = Array(image[..<headerEnd])
        file += textChunk("Software", texts.identifier)
        file += textChunk("Title", texts.title)
        file += image[headerEnd...]
        return file
    }

    /// Returns a chunk with an uncompressed text.
    private static func textChunk(_ keyword: String, _ text: String) -> [UInt8] {
        var body = Array("iTXt".utf8)
        body += keyword.utf8
        // The end of the keyword; no compression; no language and no translated keyword.
        body += [0, 0, 0, 0, 0]
        body += text.utf8
        return bigEndian(UInt32(clamping: body.count - 4)) + body + bigEndian(checksum(body[...]))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    /// Returns the CRC-32 of the PNG specification.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xEDB8_8320 }
        }
        return ~crc
    }

    /// Returns the texts of a file, of which any process of the user may have written the bytes.
    ///
    /// - Returns: nil if the bytes are no PNG image of at most ``SnapshotShape/maximumLength`` pixels in each
    ///   direction, or if the program's identifier is missing.
    package static func texts(in image: [UInt8]) -> Texts? {
        guard image.starts(with: signature), image.count <= maximumSize else { return nil }
        var rest = image.dropFirst(signature.count), isFirst = true
        var identifier: String?, title = ""
        while let chunk = takeChunk(from: &rest) {
            if isFirst {
                guard chunk.type.elementsEqual("IHDR".utf8), chunk.data.count == 13,
                    let width = integer(chunk.data), let height = integer(chunk.data.dropFirst(4)),
                    (1...SnapshotShape.maximumLength).contains(width),
                    (1...SnapshotShape.maximumLength).contains(height)
                else { return nil }
                isFirst = false
            }
            if chunk.type.elementsEqual("IDAT".utf8) { break }
            guard chunk.type.elementsEqual("iTXt".utf8), let text = text(in: chunk.data) else { continue }
            if text.keyword == "Software" { identifier = text.text }
            if text.keyword == "Title" { title = text.text }
        }
        guard let identifier, name(for: identifier) != nil else { return nil }
        return Texts(identifier: identifier, title: title)
    }

    /// Removes and returns the first chunk; nil if it is not complete.
    private static func takeChunk(
        from rest: inout ArraySlice<UInt8>
    ) -> (type: ArraySlice<UInt8>, data: ArraySlice<UInt8>)? {
        guard let length = integer(rest), rest.count >= 12, length <= rest.count - 12 else { return nil }
        let chunk = rest.dropFirst(4)
        rest = rest.dropFirst(12 + length)
        return (chunk.prefix(4), chunk.dropFirst(4).prefix(length))
    }

    /// Returns the integer of 32 bits at the start of some bytes; nil if there are fewer bytes.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.count >= 4 ? bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } : nil
    }

    /// Returns the keyword and the text of a chunk; nil if it is compressed or not valid.
    private static func text(in data: ArraySlice<UInt8>) -> (keyword: String, text: String)? {
        guard let end = data.firstIndex(of: 0), data[end...].starts(with: [0, 0, 0, 0, 0]),
            let keyword = String(validating: data[..<end], as: UTF8.self),
            let text = String(validating: data[end...].dropFirst(5), as: UTF8.self)
        else { return nil }
        return (keyword, text)
    }
}
