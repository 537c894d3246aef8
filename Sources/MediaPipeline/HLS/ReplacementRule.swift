/// The rule for buffered segments whose resolution is too low after the view has grown: they are downloaded again if
/// the link is fast enough and few bytes are discarded.
package struct ReplacementRule: Sendable, Equatable {
    /// The buffered time, in nanoseconds, whose segments are never replaced; at least one segment is never replaced.
    package var protectedDuration = Int64(nanosecondsOf: 4)
    /// The least ratio of the estimated throughput to the new variant's bit rate at which segments are replaced.
    package var throughputRatio = 1.5
    /// The greatest fraction of the bytes played within ``discardPeriod`` that replacements may discard.
    package var discardableFraction = 0.15
    /// The play time, in nanoseconds, over whose bytes ``discardableFraction`` is measured.
    package var discardPeriod = Int64(nanosecondsOf: 60)

    package init() {}

    /// Returns the number of buffered segments that are kept: the segments within ``protectedDuration``, and all
    /// segments up to the last segment whose variant is not lower than `target`.
    func keptSegmentCount(
        _ bufferedSegments: [BufferedSegment], target: VariantCandidate, _ variants: [VariantCandidate]
    ) -> Int {
        var (segmentCount, keptDuration) = (0, Int64(0))
        while segmentCount < bufferedSegments.count, segmentCount == 0 || keptDuration < protectedDuration {
            keptDuration = keptDuration.clampedSum(bufferedSegments[segmentCount].duration)
            segmentCount += 1
        }
        let lastSufficientIndex = bufferedSegments.lastIndex { segment in
            guard let variant = variants.first(where: { $0.index == segment.variant }) else { return false }
            return variant.bandwidth >= target.bandwidth
        }
        return max(segmentCount, lastSufficientIndex.map { $0 + 1 } ?? 0)
    }

    /// Returns the number of bytes that replacements may discard within ``discardPeriod`` if `target` is played.
    func discardableByteCount(_ target: VariantCandidate) -> Double {
        discardableFraction * Double(target.typicalBitRate) / 8 * discardPeriod.inSeconds
    }

    /// Returns whether the network link is fast enough to fill the buffer again with segments of `target`.
    func isFastEnough(_ target: VariantCandidate, _ input: ChooserInput) -> Bool {
        input.estimate.isTrusted && input.usableBitRate >= throughputRatio * Double(target.typicalBitRate)
    }
}
