/// The bytes that a decoder needs before the segments (`EXT-X-MAP`; RFC 8216, section 4.3.2.5).
package struct InitializationSection: Sendable, Hashable {
    /// The address of the resource that contains the section.
    package let address: PlaylistAddress
    /// The part of the resource that is the section; nil for the whole resource.
    package let byteRange: ByteRange?
    /// The key of the section; nil if the section is not encrypted. The playlist must state the initialization vector.
    package let key: EncryptionKey?

    /// Reads the tag `EXT-X-MAP`.
    ///
    /// - Parameter key: The key that is in effect where the tag occurs; nil if there is none.
    /// - Throws: `missingAttribute` or `invalidValue`, or an error of the address.
    package init(_ attributes: AttributeList, in base: PlaylistBase, key: EncryptionKey?) throws(PlaylistError) {
        guard let address = try attributes.address("URI", in: base, allowsData: true) else {
            throw attributes.tag.missingAttributeError("URI")
        }
        var range: ByteRange?
        if let text = attributes["BYTERANGE"] {
            range = ByteRange.parse(text.utf8).flatMap { ByteRange(offset: $0.offset ?? 0, length: $0.length) }
            if range == nil { throw attributes.tag.invalidValueError(text) }
        }
        self.address = address
        self.key = key
        byteRange = range
    }

    /// Creates an initialization section that is not encrypted.
    package init(address: PlaylistAddress, byteRange: ByteRange?) {
        self.address = address
        self.byteRange = byteRange
        key = nil
    }
}
