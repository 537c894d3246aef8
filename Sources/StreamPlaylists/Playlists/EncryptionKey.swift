/// A key that decrypts segments (RFC 8216, section 4.3.2.4).
package struct EncryptionKey: Sendable, Hashable {
    /// The method by which the segments are encrypted.
    package enum Method: Sendable, Hashable {
        /// Whole segments are encrypted with AES-128 in CBC mode and PKCS #7 padding (`AES-128`).
        case aes128
        /// Only the samples within the segments are encrypted (`SAMPLE-AES`).
        case sampleAES
        /// An encryption method that RFC 8216 does not define.
        case other(String)
    }

    /// The method by which the segments are encrypted.
    package let method: Method
    /// The format of the key; `identity` is a file of 16 bytes.
    package let format: String
    /// The address of the key file; nil unless ``isSupported``, because other formats use special address schemes.
    package let address: PlaylistAddress?
    /// The 16 bytes of the initialization vector; nil if each segment's number determines its vector.
    package let initializationVector: [UInt8]?

    /// Reads the tag `EXT-X-KEY` or `EXT-X-SESSION-KEY`; nil for the method `NONE`.
    ///
    /// - Throws: `missingAttribute` or `invalidValue`, or an error of the address.
    package init?(_ attributes: AttributeList, in base: PlaylistBase) throws(PlaylistError) {
        switch attributes["METHOD"] {
        case nil: throw attributes.tag.missingAttributeError("METHOD")
        case "NONE": return nil
        case "AES-128": method = .aes128
        case "SAMPLE-AES": method = .sampleAES
        case let methodName?: method = .other(methodName)
        }
        format = attributes["KEYFORMAT"] ?? Self.identityFormat
        var vector: [UInt8]?
        if let text = attributes["IV"] {
            vector = DecimalText.hexadecimal(text.utf8, count: 16)
            if vector == nil { throw attributes.tag.invalidValueError(text) }
        }
        initializationVector = vector
        guard method == .aes128, format == Self.identityFormat else {
            address = nil
            return
        }
        guard let address = try attributes.address("URI", in: base, allowsData: true) else {
            throw attributes.tag.missingAttributeError("URI")
        }
        self.address = address
    }

    /// Whether segments with this key can be decrypted without DRM.
    package var isSupported: Bool { address != nil }

    /// Returns the initialization vector of a segment. By default it is the media sequence number in big-endian order
    /// (RFC 8216, section 5.2).
    package func initializationVector(ofSegment number: Int) -> [UInt8] {
        if let initializationVector { return initializationVector }
        let value = UInt64(clamping: number)
        return [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }

    /// The value of `KEYFORMAT` for a key that is a file of 16 bytes.
    package static let identityFormat = "identity"
}
