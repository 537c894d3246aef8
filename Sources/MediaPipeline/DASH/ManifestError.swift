import StreamPlaylists

/// An error in a DASH manifest (media presentation description, MPD), with the line in which it occurs.
package struct ManifestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the error.
    package let reason: Reason
    /// The number of the line, counted from 1; nil if the error concerns the whole manifest.
    package let line: Int?

    init(_ reason: Reason, line: Int? = nil) { (self.reason, self.line) = (reason, line) }

    /// Creates the error for an address in the manifest that cannot be used.
    init(_ error: PlaylistError, line: Int) { self.init(.address(error.reason), line: line) }

    package var description: String {
        guard let line else { return reason.description }
        return "line \(line): \(reason.description)"
    }
}

extension ManifestError {
    /// The kinds of errors in a manifest.
    package enum Reason: Sendable, Equatable {
        /// The text is not well-formed XML; the associated value is the parser's description of the error.
        case malformed(String)
        /// The XML text has a document type declaration, which could define entities.
        case documentType
        /// The text is a web page: servers and captive portals send error pages in place of a manifest.
        case webPage
        /// The root element is not `MPD`.
        case notAManifest(root: String)
        /// The text is longer than the limit, in bytes.
        case tooLarge(limit: Int)
        /// Elements are nested deeper than the limit.
        case tooDeep(limit: Int)
        /// The text has more elements than the limit.
        case tooManyElements(limit: Int)
        /// An element lacks an attribute or child element that ISO/IEC 23009-1 requires.
        case missingValue(element: String, name: String)
        /// The value of an attribute is malformed or out of range.
        case invalidValue(element: String, name: String, text: String)
        /// An address in the manifest cannot be used; the associated value states why.
        case address(PlaylistError.Reason)
        /// The segment index (`sidx`) of a file is malformed.
        case invalidIndex
        /// A representation has more segments than the limit.
        case tooManySegments(limit: Int)
        /// DRM protects all tracks, or all video tracks; the associated value names the DRM systems.
        case protected(systems: [String])
        /// The manifest describes no video and no audio that can be played.
        case noMedia
        /// The manifest uses a part of the standard that is not supported; the associated value names that part.
        case unsupported(String)
    }
}

extension ManifestError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let text): "the text is not well-formed XML: \(text)"
        case .documentType: "document types are not allowed in a manifest"
        case .webPage: "the server sent a web page instead of a manifest"
        case .notAManifest(let root): "the text is not a DASH manifest: its root element is \(Self.excerpt(root))"
        case .tooLarge(let limit): "the manifest is larger than \(limit) bytes"
        case .tooDeep(let limit): "elements are nested deeper than \(limit) levels"
        case .tooManyElements(let limit): "the manifest has more than \(limit) elements"
        case .missingValue(let element, let name): "the element \(element) has no \(name)"
        case .invalidValue(let element, let name, let text):
            "\(name) of the element \(element) has the invalid value \"\(Self.excerpt(text))\""
        case .address(let reason): reason.description
        case .invalidIndex: "the segment index is malformed"
        case .tooManySegments(let limit): "a representation has more than \(limit) segments"
        case .protected(let systems):
            "the stream is protected by DRM (\(systems.joined(separator: ", "))), which is not supported"
        case .noMedia: "the manifest describes no video and no audio that can be played"
        case .unsupported(let text): "\(text) is not supported"
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

extension MediaError {
    /// Creates the error for a DASH manifest that cannot be used.
    init(_ error: ManifestError) {
        switch error.reason {
        case .protected: self.init(.unsupportedFormat, error.reason.description)
        case .noMedia: self.init(.notMedia, error.reason.description)
        case .unsupported: self.init(.unsupportedFormat, "the manifest cannot be used: \(error)")
        case .address(.refusedScheme): self.init(.refusedByPolicy, "the manifest cannot be used: \(error)")
        default: self.init(.corrupt, "the manifest cannot be used: \(error)")
        }
    }
}
