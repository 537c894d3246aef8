/// The position at which a playlist prefers playback to start (`EXT-X-START`; RFC 8216, section 4.3.5.2).
package struct PlaylistStart: Sendable, Equatable {
    /// The position in nanoseconds from the start of the playlist; negative values count from the end of its last
    /// segment.
    package let offset: Int64
    /// Whether playback starts exactly at ``offset``; otherwise it starts with the segment that contains ``offset``.
    package let isPrecise: Bool

    package init(offset: Int64, isPrecise: Bool) {
        self.offset = offset
        self.isPrecise = isPrecise
    }

    /// Reads the tag `EXT-X-START`; nil if the offset is missing or malformed.
    package init?(_ attributes: AttributeList) {
        guard let text = attributes["TIME-OFFSET"], let offset = DecimalText.signedBillionths(text.utf8) else {
            return nil
        }
        self.init(offset: offset, isPrecise: attributes.isSetToYes("PRECISE"))
    }
}
