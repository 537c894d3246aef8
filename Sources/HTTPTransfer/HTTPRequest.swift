/// A GET request.
package struct HTTPRequest: Sendable, Equatable {
    /// The `http` or `https` address.
    package var address: String
    /// The requested bytes; nil requests the whole resource.
    package var range: ByteSpan?
    /// The validator of the bytes received so far (``HTTPResponse/validator``). If the resource has changed, the server
    /// ignores ``range`` and sends the resource from its beginning.
    package var validator: String?
    /// Whether the server may compress the content. Set only for text, because the byte counts of a compressed response
    /// refer to decompressed bytes.
    package var allowsCompression = false
    /// Whether the requested content is media, not a playlist or a key.
    package var isMedia = true
    /// The maximum number of received bytes that wait for the reader; reception pauses at this limit.
    package var queueLimit = 4 << 20
    /// The settings that the user or the program chose.
    package var options: HTTPOptions

    package init(_ address: String, range: ByteSpan? = nil, options: HTTPOptions) {
        (self.address, self.range, self.options) = (address, range, options)
    }
}

/// A range of bytes of a resource.
package struct ByteSpan: Sendable, Equatable {
    /// The offset of the first byte.
    package var start: Int64
    /// The offset after the last byte; nil for the end of the resource.
    package var end: Int64?

    package init(start: Int64, end: Int64? = nil) { (self.start, self.end) = (start, end) }

    /// The value of the `Range` field without its unit, such as `0-499`.
    var rangeText: String { "\(start)-" + (end.map { "\($0 - 1)" } ?? "") }
}
