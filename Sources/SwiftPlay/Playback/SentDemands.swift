import MediaPipeline

/// The settings that an item's source received last, so that only changes are sent.
struct SentDemands {
    /// The values by which the source chooses a variant; nil if none were sent yet.
    var stream: StreamDemand.Requirements?
    /// The settings for following a live stream and for reading ahead; nil if none were sent yet.
    var reading: ReadingDemand?
    /// The requirements for the video decoder; nil before they were sent.
    var decoding: DecodingDemand?
    /// The largest number of video decoding threads; nil before it was sent, and an inner nil for no limit.
    var decoderThreadLimit: Int??
}
