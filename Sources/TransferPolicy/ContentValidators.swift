/// The header fields of a response that identify the version of its content (RFC 9110, section 8.8).
package struct ContentValidators: Equatable, Sendable {
    /// The field `ETag` as the server sent it, with quotes and a leading `W/` if the tag is weak; nil if absent.
    package var entityTag: String?
    /// The field `Last-Modified` as the server sent it; nil if absent.
    package var lastModified: String?
    /// The field `Date` of the same response, as the server sent it; nil if absent.
    package var date: String?

    /// Creates validators from the fields of a response.
    package init(entityTag: String? = nil, lastModified: String? = nil, date: String? = nil) {
        (self.entityTag, self.lastModified, self.date) = (entityTag, lastModified, date)
    }
}
