/// The content that a part file holds, and what is known about the whole content.
package struct HeldContent: Equatable, Sendable {
    /// The number of bytes of the part file that belong to the content. Further bytes of the file are discarded.
    package var length: Int64
    /// The length of the whole content in bytes; nil if the server has not stated it.
    package var total: Int64?
    /// The validators of the response from which the bytes came.
    package var validators: ContentValidators
    /// The media type of that response, such as `video/mp4`; nil if unknown.
    package var mediaType: String?

    /// Creates a description of a part file; the default is an empty file.
    package init(
        length: Int64 = 0, total: Int64? = nil, validators: ContentValidators = ContentValidators(),
        mediaType: String? = nil
    ) {
        (self.length, self.total, self.validators, self.mediaType) = (length, total, validators, mediaType)
    }
}
