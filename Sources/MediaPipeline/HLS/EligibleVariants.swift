import SharedFrames

/// The variants that may be chosen, and the reason why better variants may not be chosen. The set is never empty: if a
/// filter leaves no variant, the lowest variant before the filter stays.
struct EligibleVariants: Equatable {
    /// The variants that may be chosen, sorted by bit rate, lowest first.
    private(set) var variants: [VariantCandidate]
    /// The reason why a better variant is not eligible: the last filter that removed the best remaining variant. Nil if
    /// the best of all variants is eligible.
    private(set) var restriction: VariantRestriction?

    /// Creates a set in which all variants are eligible.
    ///
    /// - Parameter variants: All variants, sorted by bit rate and not empty.
    init(_ variants: [VariantCandidate]) { self.variants = variants }

    /// Applies all filters in this order: variants that cannot be decoded or failed recently, variants of another kind
    /// (audio only, HDR), the limits of the program and of the memory, and the size of the view.
    init(
        _ variants: [VariantCandidate], _ exclusions: VariantExclusions, _ limits: VariantLimits,
        _ destination: VideoDestination, _ sizeRule: SizeRule, at now: Int64
    ) {
        self.init(variants)
        keep(because: .undecodable) { $0.isDecodable }
        keep(because: .failure) { exclusions.end(of: $0, at: now) == nil }
        if destination == .audioOnly {
            let hasAudioOnlyVariant = self.variants.contains { !$0.hasVideo }
            let lowestVariant = self.variants.first
            keep(because: .audioOnly) { hasAudioOnlyVariant ? !$0.hasVideo : $0 == lowestVariant }
        } else if !limits.showsHDR {
            // If all variants are HDR, they stay eligible: the output maps their tones to SDR.
            let hasSDR = self.variants.contains { $0.videoRange == .sdr && $0.hasVideo }
            keep(because: .videoRange) { !hasSDR || $0.videoRange == .sdr }
        }
        apply(limits)
        if case .view(let view) = destination {
            let limit = sizeRule.pixelLimit(of: self.variants, in: view)
            keep(because: .view(view.size)) { sizeRule.isWithinPixelLimit($0, pixelLimit: limit) }
        }
    }

    /// Applies the limits of the program and of the memory.
    private mutating func apply(_ limits: VariantLimits) {
        if limits.preferredPeakBitRate > 0 {
            keep(because: .peakBitRate(limits.preferredPeakBitRate)) { $0.bandwidth <= limits.preferredPeakBitRate }
        }
        let maximumSize = limits.preferredMaximumResolution
        if !maximumSize.isEmpty {
            keep(because: .resolution(maximumSize)) { variant in
                variant.size.map { $0.width <= maximumSize.width && $0.height <= maximumSize.height } ?? true
            }
        }
        if let bytes = limits.bufferBytes {
            let bits = Double(max(bytes, 0)) * 8
            keep(because: .memory(bytes)) { Double($0.typicalBitRate) * limits.bufferDuration.inSeconds <= bits }
        }
    }

    /// Keeps the variants that meet a condition; keeps the lowest variant if no variant meets it.
    private mutating func keep(because cause: VariantRestriction, if isEligible: (VariantCandidate) -> Bool) {
        let bestVariant = variants.last
        let remainingVariants = variants.filter(isEligible)
        variants = remainingVariants.isEmpty ? Array(variants.prefix(1)) : remainingVariants
        if variants.last != bestVariant { restriction = cause }
    }
}
