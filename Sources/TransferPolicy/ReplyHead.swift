/// The status and the header fields of a final response.
package struct ReplyHead: Equatable, Sendable {
    /// A header field.
    package struct Field: Equatable, Sendable {
        /// The name, in lower case.
        package let name: String
        /// The value, without surrounding spaces.
        package let value: String

        /// Creates a field; its name is converted to lower case.
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name.lowercased(), value) }
    }

    /// The status.
    package let status: Int
    /// The header fields in the order of the response.
    package let fields: [Field]
    /// Whether redirects led to the response.
    package let isRedirected: Bool

    /// Creates the head of a response.
    package init(status: Int, fields: [Field], isRedirected: Bool = false) {
        (self.status, self.fields, self.isRedirected) = (status, fields, isRedirected)
    }

    /// The value of the first field with a name in lower case; nil if there is none.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The validators of the content.
    package var validators: ContentValidators {
        ContentValidators(entityTag: self["etag"], lastModified: self["last-modified"], date: self["date"])
    }

    /// The parsed field `Content-Range`; nil if it is absent or malformed, or if several fields differ.
    package var contentRange: ContentRange? {
        let values = fields.filter { $0.name == "content-range" }.map(\.value)
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return ContentRange(first)
    }

    /// The length of the body, in bytes; nil if the server does not state it or if the body is chunked.
    package var bodyLength: Int64? {
        guard self["transfer-encoding"] == nil else { return nil }
        return self["content-length"].flatMap { ContentRange.number($0) }
    }

    /// Whether the end of the connection ends the body, so that a cut connection cannot be detected without TLS.
    package var endsWithConnection: Bool {
        // Responses with these statuses have no body.
        self["transfer-encoding"] == nil && self["content-length"] == nil && status != 204 && status != 304
    }

    /// The media type in lower case, without parameters; nil if absent.
    package var mediaType: String? {
        self["content-type"]?.split(separator: ";").first.map {
            $0.filter { !$0.isWhitespace }.lowercased()
        }
    }

    /// Whether the server has encoded the content, although requests ask for `identity`.
    package var isEncoded: Bool {
        guard let encoding = self["content-encoding"] else { return false }
        return !encoding.isEmpty && encoding.lowercased() != "identity"
    }

    /// Whether the body is an HTML page.
    package var isHTML: Bool { mediaType == "text/html" || mediaType == "application/xhtml+xml" }

    /// Whether the server states that it never sends parts.
    package var refusesRanges: Bool { self["accept-ranges"]?.lowercased() == "none" }
}
