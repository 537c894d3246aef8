import MediaPipeline

/// A variant of a stream (AVAssetVariant): the same item with another bit rate, size or codec. A value.
public struct AssetVariant: Sendable, Hashable {
    /// The number of the variant in the playlist, from 0.
    let index: Int
    /// The highest bit rate in bits per second (AVAssetVariant.peakBitRate).
    public let peakBitRate: Double
    /// The average bit rate in bits per second (AVAssetVariant.averageBitRate); nil if the playlist does not state it.
    public let averageBitRate: Double?
    /// The size of the picture (AVAssetVariant.VideoAttributes.presentationSize); zero if the playlist does not state
    /// it.
    public let presentationSize: VideoSize
    /// The largest number of frames per second (AVAssetVariant.VideoAttributes.nominalFrameRate); nil if the playlist
    /// does not state it.
    public let nominalFrameRate: Double?
    /// The formats of video and audio in the form of RFC 6381, such as `avc1.640028`; empty if not stated.
    public let codecs: [String]

    /// Creates the public description of a variant.
    init(_ variant: StreamStatus.Variant) {
        index = variant.index
        peakBitRate = Double(variant.bandwidth)
        averageBitRate = variant.averageBandwidth.map { Double($0) }
        presentationSize = VideoSize(width: variant.size.width, height: variant.size.height)
        (nominalFrameRate, codecs) = (variant.frameRate, variant.codecs)
    }
}

extension AssetProperty where Value == [AssetVariant] {
    /// The variants of a stream (AVURLAsset.variants), in the order of the playlist; empty for other assets.
    public static var variants: AssetProperty { AssetProperty { $0.variants.map(AssetVariant.init) } }
}
