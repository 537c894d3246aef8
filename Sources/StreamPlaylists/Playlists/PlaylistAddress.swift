/// The address of a segment, key or other playlist to which a playlist refers. Its scheme has been checked.
///
/// The value keeps the text as written and shares the playlist's address, so that many segments need little memory.
package struct PlaylistAddress: Sendable, Hashable {
    /// The reference in the playlist; characters that an address must not contain are percent-encoded.
    package let referenceText: String
    /// The absolute address of the playlist.
    package let base: String

    /// Checks a reference in a playlist, and creates its address.
    ///
    /// - Parameters:
    ///   - text: The reference as written, in any encoding.
    ///   - allowsData: Whether `data:` addresses are allowed, as for keys and initialization sections.
    /// - Throws: `refusedScheme`, `addressTooLong` or `invalidAddress`. A playlist from the network may refer only
    ///   to http and https addresses; a local playlist also to local files.
    package init(
        _ text: some Collection<UInt8>, in base: PlaylistBase, allowsData: Bool = false, line: Int
    ) throws(PlaylistError) {
        guard text.count <= base.addressByteLimit else {
            throw PlaylistError(.addressTooLong(limit: base.addressByteLimit), line: line)
        }
        referenceText = Self.percentEncoded(text)
        self.base = base.text
        guard !referenceText.isEmpty else { throw PlaylistError(.invalidAddress(""), line: line) }
        let scheme: String
        var inheritedByteCount = base.folderPrefixByteCount
        if let byte = referenceText.utf8.first, byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
            scheme = base.scheme
            inheritedByteCount = base.text.utf8.count
        } else if referenceText.utf8.contains(UInt8(ascii: ":")) || referenceText.utf8.starts(with: "//".utf8) {
            // Split only references with a scheme or a host, because most segment addresses have neither.
            let reference = URIReference(referenceText)
            scheme = reference.scheme?.lowercased() ?? base.scheme
            let hasOwnHost = reference.scheme != nil || reference.authority != nil
            // A reference with a host inherits only the scheme and its colon.
            if hasOwnHost { inheritedByteCount = reference.scheme == nil ? scheme.utf8.count + 1 : 0 }
            if scheme == "http" || scheme == "https", hasOwnHost, reference.authority?.isEmpty != false {
                throw PlaylistError(.invalidAddress(referenceText), line: line)
            }
        } else {
            scheme = base.scheme
        }
        switch scheme {
        case "http", "https": break
        case "file" where base.isLocal: break
        case "data" where allowsData: break
        default: throw PlaylistError(.refusedScheme(scheme), line: line)
        }
        guard inheritedByteCount + referenceText.utf8.count <= base.addressByteLimit else {
            throw PlaylistError(.addressTooLong(limit: base.addressByteLimit), line: line)
        }
    }

    /// The absolute address that results from the reference and the address of the playlist.
    package var url: String { URIReference(referenceText).resolved(against: URIReference(base)).text }

    /// Encodes white space, control characters, non-ASCII bytes and the delimiters that RFC 3986 excludes.
    package static func percentEncoded(_ text: some Collection<UInt8>) -> String {
        guard text.contains(where: isExcluded) else { return String(decoding: text, as: UTF8.self) }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 16)
        for byte in text {
            guard isExcluded(byte) else {
                bytes.append(byte)
                continue
            }
            bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether a byte must be percent-encoded.
    private static func isExcluded(_ byte: UInt8) -> Bool {
        if byte <= 0x20 || byte >= 0x7F { return true }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            return true
        default: return false
        }
    }
}
