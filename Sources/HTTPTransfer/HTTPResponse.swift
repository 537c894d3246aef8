/// The head of a server's final response, after redirects.
package struct HTTPResponse: Sendable, Equatable {
    /// The status code, such as 200.
    package var status: Int
    /// The address that responded, after redirects.
    package var address: String
    /// The header fields of the response.
    package var fields: HTTPFields

    package init(status: Int, address: String, fields: HTTPFields) {
        (self.status, self.address, self.fields) = (status, address, fields)
    }

    /// Whether the response has the requested content (status 200 to 299).
    package var isSuccess: Bool { (200..<300).contains(status) }
    /// Whether the response contains only the requested range.
    package var isPartial: Bool { status == 206 && contentRange != nil }

    /// The range that the response contains, and the size of the whole resource; nil if the response states none.
    package var contentRange: HTTPContentRange? { fields["content-range"].flatMap(HTTPContentRange.init) }

    /// The size of the whole resource in bytes; nil if it is unknown.
    package var resourceSize: Int64? {
        if status == 206 || status == 416 { return contentRange?.size }
        // RFC 9110, 12.5.3: the content coding "identity" states that the content is not encoded.
        guard ["", "identity"].contains(fields["content-encoding"]?.lowercased() ?? "") else { return nil }
        return fields["content-length"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Whether the server supports requests for byte ranges of the resource.
    package var acceptsRanges: Bool {
        isPartial || status == 200 && fields["accept-ranges"]?.lowercased() == "bytes" && resourceSize != nil
    }

    /// The value that identifies this version of the resource in a later request for the rest (RFC 9110, 13.1.5): a
    /// strong entity tag, otherwise the date of the last modification; nil if the response states neither.
    package var validator: String? {
        if let tag = fields["etag"], tag.hasPrefix("\"") { return tag }
        return fields["last-modified"]
    }

    /// The delay, in nanoseconds, after which the server asks to repeat the request; nil if it states none.
    package var retryAfter: Int64? {
        guard let seconds = fields["retry-after"].flatMap({ Int64($0) }), seconds >= 0 else { return nil }
        return min(seconds, 86_400) * 1_000_000_000
    }
}

/// The fields of a response head, found by their names without regard to case.
package struct HTTPFields: Sendable, Equatable {
    /// The values of the fields by lower-case name; if a field is repeated, its last value is kept.
    private var values: [String: String] = [:]

    package init() {}

    /// Returns the value of the field with a lower-case name; nil if the field is missing.
    package subscript(name: String) -> String? { values[name] }

    /// Adds the field that a line of a response head contains; ignores other lines.
    package mutating func add(line: String) {
        guard let colonIndex = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colonIndex)...].drop { $0 == " " || $0 == "\t" }
        let trimmed = value.reversed().drop { $0.isNewline || $0 == " " || $0 == "\t" }.reversed()
        values[line[..<colonIndex].lowercased()] = String(trimmed)
    }
}

/// The value of a `Content-Range` field: `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`.
package struct HTTPContentRange: Sendable, Equatable {
    /// The byte range that the response contains; nil if the field states only the size.
    package var bytes: Range<Int64>?
    /// The size of the whole resource in bytes; nil if the server does not know it.
    package var size: Int64?

    package init?(_ text: String) {
        let unitAndRange = text.split(separator: " ", maxSplits: 1)
        guard unitAndRange.count == 2, unitAndRange[0].lowercased() == "bytes" else { return nil }
        let rangeAndSize = unitAndRange[1].split(separator: "/", maxSplits: 1)
        guard rangeAndSize.count == 2 else { return nil }
        if rangeAndSize[1] != "*" {
            guard let size = Int64(rangeAndSize[1]), size >= 0 else { return nil }
            self.size = size
        }
        guard rangeAndSize[0] != "*" else { return }
        let bounds = rangeAndSize[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let firstByte = Int64(bounds[0]), let lastByte = Int64(bounds[1]), firstByte >= 0,
            lastByte >= firstByte,
            lastByte < .max, size.map({ lastByte < $0 }) ?? true
        else { return nil }
        bytes = firstByte..<lastByte + 1
    }
}
