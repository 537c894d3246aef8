import MediaPipeline

/// The demands that an item's source received last, so that only changes are sent.
struct SentDemands {
    /// The choice of the variant; nil before the first demand.
    var stream: StreamDemand.Values?
    /// The reading ahead and the live window; nil before the first demand.
    var reading: ReadingDemand?
}
