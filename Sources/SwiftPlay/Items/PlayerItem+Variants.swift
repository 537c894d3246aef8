import MediaPipeline
import SharedFrames

/// The choice among the variants of a stream.
extension PlayerItem {
    /// The highest bit rate of the played variant, in bits per second (AVPlayerItem.preferredPeakBitRate); 0, the
    /// default, for no limit. If all variants have higher bit rates, the lowest is played.
    public var preferredPeakBitRate: Double {
        get { state.withLock { $0.preferences.peakBitRate } }
        set { state.withLock { $0.preferences.peakBitRate = newValue } }
    }

    /// The largest picture of the played variant, in pixels (AVPlayerItem.preferredMaximumResolution);
    /// ``VideoSize/zero``, the default, for no limit beside the size on screen.
    public var preferredMaximumResolution: VideoSize {
        get { state.withLock { $0.preferences.maximumResolution } }
        set { state.withLock { $0.preferences.maximumResolution = newValue } }
    }

    /// The limits for the choice of a variant.
    var variantLimits: VariantLimits {
        let (rate, size) = state.withLock { ($0.preferences.peakBitRate, $0.preferences.maximumResolution) }
        var limits = VariantLimits()
        limits.preferredPeakBitRate = rate > 0 ? Int64(exactly: min(rate, 1e15).rounded(.down)) ?? 0 : 0
        limits.preferredMaximumResolution = PixelSize(width: max(0, size.width), height: max(0, size.height))
        return limits
    }
}

/// A variant of a stream, for programs of this package.
package typealias StreamVariant = StreamStatus.Variant
/// How far an item has been read, for programs of this package.
package typealias ItemBuffering = BufferingState

extension PlayerItem {
    /// The variants of a stream and the current choice; nil unless a player has opened a stream.
    package var streamStatus: StreamStatus? { state.withLock { $0.source }?.streamStatus }
    /// How far the item has been read; nil unless a player has opened it.
    package var bufferingState: BufferingState? { state.withLock { $0.source }?.buffering }
}
