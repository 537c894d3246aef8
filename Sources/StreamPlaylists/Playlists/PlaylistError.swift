/// An error in an HLS playlist, with the line in which it occurs.
package struct PlaylistError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the error.
    package let reason: Reason
    /// The number of the line, counted from 1; nil if the error concerns the whole playlist.
    package let line: Int?

    package init(_ reason: Reason, line: Int? = nil) {
        self.reason = reason
        self.line = line
    }

    package var description: String {
        guard let line else { return reason.description }
        return "line \(line): \(reason.description)"
    }
}

extension PlaylistError {
    /// The kinds of errors in a playlist.
    package enum Reason: Sendable, Equatable {
        /// The text does not start with `EXTM3U`.
        case notAPlaylist
        /// The text is a web page: servers and captive portals send error pages in place of a playlist.
        case webPage
        /// The text is a list of files without any HLS tag.
        case notHLS
        /// A tag of one kind of playlist occurs in the other kind (RFC 8216, section 4.1).
        case misplacedTag(String)
        /// The text is longer than the limit, in bytes.
        case tooLarge(limit: Int)
        /// The playlist has more variants and renditions than the limit.
        case tooManyStreams(limit: Int)
        /// The playlist has more segments than the limit.
        case tooManySegments(limit: Int)
        /// The sum of all segment durations exceeds ``PlaylistLimits/duration``.
        case tooLong
        /// An attribute list has an unterminated string, or too many attributes.
        case invalidAttributes(tag: String)
        /// A tag lacks an attribute that RFC 8216 requires.
        case missingAttribute(tag: String, name: String)
        /// The value of a tag, or of a tag's attribute, is malformed or out of range.
        case invalidValue(tag: String, text: String)
        /// The playlist uses or imports a variable that is not defined.
        case undefinedVariable(String)
        /// An `EXT-X-DEFINE` tag is malformed, repeats the name of a variable, or exceeds the maximum number of
        /// variables.
        case invalidDefinition(String)
        /// The text with all variables replaced is longer than the limit, in bytes.
        case expansionTooLarge(limit: Int)
        /// The scheme of an address is not allowed; empty if the playlist itself has no absolute address.
        case refusedScheme(String)
        /// An address is longer than the limit, in bytes.
        case addressTooLong(limit: Int)
        /// The address of a variant or segment is missing or has no host.
        case invalidAddress(String)
        /// A byte range has no offset, and no segment of the same resource precedes it.
        case missingByteRangeOffset
        /// A delta update omits segments that were not loaded before. Reload the whole playlist.
        case unknownSkippedSegments
        /// A multivariant playlist has no usable variant.
        case noVariants
    }
}

extension PlaylistError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAPlaylist: "the text is not a playlist: it does not start with #EXTM3U"
        case .webPage: "the server sent a web page instead of a playlist"
        case .notHLS: "the playlist is not an HLS playlist: it has no #EXT-X tags"
        case .misplacedTag(let tag): "the tag \(tag) does not belong into this kind of playlist"
        case .tooLarge(let limit): "the playlist is larger than \(limit) bytes"
        case .tooManyStreams(let limit): "the playlist has more than \(limit) variants and renditions"
        case .tooManySegments(let limit): "the playlist has more than \(limit) segments"
        case .tooLong: "the sum of the durations is too large"
        case .invalidAttributes(let tag): "the attributes of the tag \(tag) are malformed"
        case .missingAttribute(let tag, let name): "the tag \(tag) has no attribute \(name)"
        case .invalidValue(let tag, let text): "the tag \(tag) has the invalid value \"\(Self.excerpt(text))\""
        case .undefinedVariable(let name): "the variable \"\(Self.excerpt(name))\" is not defined"
        case .invalidDefinition(let name): "the definition of the variable \"\(Self.excerpt(name))\" is invalid"
        case .expansionTooLarge(let limit): "the playlist with its variables is larger than \(limit) bytes"
        case .refusedScheme(""): "the address of the playlist has no scheme"
        case .refusedScheme(let scheme): "\(Self.excerpt(scheme)): addresses are not allowed here"
        case .addressTooLong(let limit): "an address is longer than \(limit) bytes"
        case .invalidAddress(let text): "the address \"\(Self.excerpt(text))\" is invalid"
        case .missingByteRangeOffset: "the byte range has no offset and does not continue the segment before it"
        case .unknownSkippedSegments: "the update omits segments that are not known"
        case .noVariants: "the playlist has no variant that can be played"
        }
    }

    /// Returns the first 60 characters of `text`, without control characters, for an error message.
    private static func excerpt(_ text: String) -> String {
        let printableText = text.unicodeScalars.prefix(60).map { scalar -> Character in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "?" : Character(scalar)
        }
        return String(printableText) + (text.unicodeScalars.count > 60 ? "…" : "")
    }
}
