/// The rule for buffered segments whose resolution is too low after the view has grown: they are downloaded again if
/// the link is fast enough and few bytes are discarded.
package struct ReplacementRule: Sendable, Equatable {
    /// The buffered time, in nanoseconds, whose segments are never replaced; at least one segment is never replaced.
    package var keptDuration = Int64(nanosecondsOf: 4)
    /// The least ratio of the estimated throughput to the new variant's bit rate at which segments are replaced.
    package var throughputRatio = 1.5
    /// The greatest fraction of the bytes played within ``wasteWindow`` that replacements may discard.
    package var wasteFraction = 0.15
    /// The play time, in nanoseconds, to whose bytes ``wasteFraction`` refers.
    package var wasteWindow = Int64(nanosecondsOf: 60)

    package init() {}

    /// Returns the number of buffered segments that are kept: those within ``keptDuration``, and all up to the last
    /// segment whose variant is not lower than `target`.
    func keptCount(
        _ buffered: [BufferedSegment], target: VariantCandidate, _ variants: [VariantCandidate]
    ) -> Int {
        var (kept, time) = (0, Int64(0))
        while kept < buffered.count, kept == 0 || time < keptDuration {
            time = time.clampedSum(buffered[kept].duration)
            kept += 1
        }
        let lastGood = buffered.lastIndex { segment in
            guard let variant = variants.first(where: { $0.index == segment.variant }) else { return false }
            return variant.bandwidth >= target.bandwidth
        }
        return max(kept, lastGood.map { $0 + 1 } ?? 0)
    }

    /// Returns the number of bytes that replacements may discard within ``wasteWindow`` if `target` is played.
    func wasteLimit(_ target: VariantCandidate) -> Double {
        wasteFraction * Double(target.typicalBitRate) / 8 * wasteWindow.inSeconds
    }

    /// Returns whether the network link is fast enough to fill the buffer again with segments of `target`.
    func isFastEnough(_ target: VariantCandidate, _ input: ChooserInput) -> Bool {
        input.estimate.isTrusted && input.usableBitRate >= throughputRatio * Double(target.typicalBitRate)
    }
}
