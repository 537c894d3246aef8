/// The decision to download buffered segments again in a higher variant.
package struct SegmentReplacement: Sendable, Equatable {
    /// The number of buffered segments that are kept, counted from the playhead; all later segments are discarded.
    package let keptSegmentCount: Int
    /// The number of downloaded bytes that are discarded.
    package let wastedBytes: Int64
    /// The variant of the first new segment, with the reason.
    package let choice: VariantChoice
}
