import MediaPipeline

/// Which variants of streams a player plays, for programs of this package. A value.
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
