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

    /// Whether playback starts with the first eligible variant in the order of the playlist
    /// (AVPlayerItem.startsOnFirstEligibleVariant); false, the default, starts with a variant that appears soon. Has no
    /// effect after the first segment was requested.
    public var startsOnFirstEligibleVariant: Bool {
        get { state.withLock { $0.readingPreferences.startsOnFirstVariant } }
        set { state.withLock { $0.readingPreferences.startsOnFirstVariant = newValue } }
    }

    /// The variant that is played instead of an automatic choice; nil, the default, for an automatic choice. While its
    /// segments cannot be fetched, other variants replace it.
    ///
    /// Set it to one of the asset's ``AssetProperty/variants``. A change during playback takes effect with the next
    /// segment that is fetched; loaded segments of lower variants are fetched again, except those of the next seconds.
    /// While playback is paused, the visible picture changes at once.
    public var preferredVariant: AssetVariant? {
        get {
            state.withLock { state in
                state.preferences.variantIndex.flatMap { index in state.info?.variants.first { $0.index == index } }
            }.map(AssetVariant.init)
        }
        set { chooseVariant(newValue?.index) }
    }

    /// The playlist index of ``preferredVariant``; nil for an automatic choice.
    package var preferredVariantIndex: Int? { state.withLock { $0.preferences.variantIndex } }

    /// Sets ``preferredVariant`` by its playlist index; nil for an automatic choice.
    package func chooseVariant(_ index: Int?) {
        state.withLock { $0.preferences.variantIndex = index }
        player?.applyChange(of: .variant)
    }

    /// The settings that limit which variant of a stream is played: bit rate, size and the user's own choice.
    var variantLimits: VariantLimits {
        let (preferences, startsOnFirst) = state.withLock {
            ($0.preferences, $0.readingPreferences.startsOnFirstVariant)
        }
        let (peakBitRate, maximumSize, variantIndex) = preferences
        var limits = VariantLimits()
        limits.startsOnFirstVariant = startsOnFirst
        limits.preferredPeakBitRate = peakBitRate > 0 ? Int64(exactly: min(peakBitRate, 1e15).rounded(.down)) ?? 0 : 0
        limits.userChoice = variantIndex
        limits.preferredMaximumResolution = PixelSize(
            width: max(0, maximumSize.width), height: max(0, maximumSize.height))
        return limits
    }
}

/// The media pipeline's description of a variant of a stream, for the programs in this package.
package typealias StreamVariant = StreamStatus.Variant
/// The media pipeline's state of reading an item ahead of playback, for the programs in this package.
package typealias ItemBuffering = BufferingState

extension PlayerItem {
    /// The variants of a stream and the current choice; nil unless a player has opened a stream.
    package var streamStatus: StreamStatus? { state.withLock { $0.source }?.streamStatus }
    /// The state of reading the item ahead of playback; nil unless a player has opened the item.
    package var bufferingState: BufferingState? { state.withLock { $0.source }?.buffering }
}
