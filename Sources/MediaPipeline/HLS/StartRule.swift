/// The rule that chooses the variants of the first segments, so that a picture appears soon and the bit rate then rises
/// quickly to the throughput of the network link.
package struct StartRule: Sendable, Equatable {
    /// The fraction of a trusted throughput estimate that the first variant's `BANDWIDTH` may use.
    package var trustedThroughputFraction = 0.6
    /// The least height, in pixels, of the first variant if the throughput estimate is not trusted.
    package var minimumHeight = 360
    /// The fraction of the picture's height on the screen that also suffices as the first variant's height, even below
    /// ``minimumHeight``.
    package var viewHeightFraction = 0.5
    /// The fraction of the estimated throughput that a variant may use while the buffer fills for the first time.
    package var quickStartThroughputFraction = 0.7
    /// The buffered time at which the first filling of the buffer ends, in nanoseconds.
    package var quickStartBuffer = Int64(nanosecondsOf: 14)

    package init() {}

    /// Returns the index in `variants` of the variant to start with. `variants` are sorted by bit rate and not empty.
    func firstVariant(_ variants: [VariantCandidate], _ estimate: ThroughputEstimate, _ view: VideoViewGeometry?) -> Int
    {
        if estimate.isTrusted {
            let limit = trustedThroughputFraction * estimate.bitsPerSecond
            return variants.lastIndex { Double($0.bandwidth) <= limit } ?? 0
        }
        return variants.firstIndex { variant in
            guard let size = variant.size else { return false }
            if min(size.width, size.height) >= minimumHeight { return true }
            guard let view, view.area > 0 else { return false }
            return Double(size.height) >= viewHeightFraction * SizeRule().fittedSize(of: size, in: view).height
        } ?? 0
    }

    /// Returns the index of the best variant that leaves a part of the estimated throughput unused, so that the buffer
    /// grows; nil if even the lowest variant uses more.
    func quickStartVariant(_ variants: [VariantCandidate], _ input: ChooserInput, _ rule: LookAheadRule) -> Int? {
        let limit = quickStartThroughputFraction * input.usableBitRate
        return variants.lastIndex { rule.bitRate(of: $0, input) <= limit }
    }
}
