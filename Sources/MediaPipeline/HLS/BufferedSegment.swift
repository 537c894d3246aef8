/// A completely downloaded segment ahead of the playhead.
package struct BufferedSegment: Sendable, Equatable {
    /// The number of the segment's variant.
    package let variant: Int
    /// The segment's play time that is left, in nanoseconds; less than the segment's duration while it is being played.
    package let duration: Int64
    /// The size of the segment in bytes.
    package let bytes: Int64

    package init(variant: Int, duration: Int64, bytes: Int64) {
        self.variant = variant
        self.duration = max(duration, 0)
        self.bytes = max(bytes, 0)
    }
}
