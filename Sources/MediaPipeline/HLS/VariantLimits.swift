import SharedFrames

/// The limits that the program, the user and the memory budget set for the choice of a variant.
package struct VariantLimits: Sendable, Equatable {
    /// The highest `BANDWIDTH` of a variant that may be chosen, in bits per second; 0 = no limit. Has the meaning of
    /// AVFoundation's `preferredPeakBitRate`.
    package var preferredPeakBitRate: Int64 = 0
    /// The largest `RESOLUTION` of a variant that may be chosen; an empty size = no limit. Has the meaning of
    /// AVFoundation's `preferredMaximumResolution`.
    package var preferredMaximumResolution = PixelSize(width: 0, height: 0)
    /// The memory for media ahead of the playhead, in bytes; nil = no limit. The limit lowers the bit rate, not the
    /// buffered time, because a short buffer stalls.
    package var bufferBytes: Int64?
    /// The buffered time that must fit into ``bufferBytes``, in nanoseconds.
    package var bufferDuration = Int64(nanosecondsOf: 30)
    /// Whether the output shows HDR. Otherwise SDR variants are preferred.
    package var showsHDR = false
    /// The number of the variant that the user has chosen; nil = automatic. While the chosen variant fails, other
    /// variants are played.
    package var userChoice: Int?

    /// Whether the first choice is the first eligible variant in the order of the playlist. Has the meaning of
    /// AVFoundation's `startsOnFirstEligibleVariant`.
    package var startsOnFirstVariant = false

    package init() {}
}
