import MediaPipeline

/// The preference of a player among the variants of streams, for the programs in this package. A value.
package struct StreamPreference: Sendable, Equatable {
    package typealias Quality = StreamDemand.Quality

    /// Whether the lowest or highest variant is always played.
    package var quality: Quality
    /// The highest bit rate of a variant in bits per second; nil for no limit.
    package var peakBitRate: Int64?

    package init(_ quality: Quality = .automatic, peakBitRate: Int64? = nil) {
        (self.quality, self.peakBitRate) = (quality, peakBitRate)
    }
}
