/// The rule that cancels a segment download which would end too late, if the same segment arrives sooner in a variant
/// of a lower bit rate.
package struct AbandonRule: Sendable, Equatable {
    /// The buffered time from which the buffer counts as long, in nanoseconds. With a long buffer the averaged estimate
    /// decides: a short drop of the throughput is no reason to lose the received bytes. A short buffer would run empty
    /// before the average follows, so the lowest of all measurements decides.
    package var longBufferThreshold = Int64(nanosecondsOf: 8)
    /// The shortest time of a download before it may be cancelled, as a fraction of the segment's duration. Applies
    /// while the buffer is longer than ``longBufferThreshold``.
    package var minimumElapsedFraction = 0.5
    /// The value of ``minimumElapsedFraction`` if the buffer is short. It is lower, because less time is left before
    /// playback stalls.
    package var shortBufferMinimumElapsedFraction = 0.15
    /// The buffered time that must be left when a segment download ends, in nanoseconds.
    package var minimumFinalBuffer = Int64(nanosecondsOf: 0.5)

    package init() {}

    /// The decision to cancel a segment download, and the variant that replaces it.
    struct Verdict: Equatable {
        /// The index of the lower variant among the eligible variants.
        let replacementIndex: Int
        /// The expected time that the cancelled download would still have needed, in seconds.
        let remainingTime: Double
        /// The expected time until the lower variant's segment is complete, in seconds.
        let replacementTime: Double
    }

    /// Returns the lower variant in which to download the segment instead; nil if the current download continues.
    ///
    /// - Parameters:
    ///   - variants: The eligible variants, sorted by bit rate.
    ///   - current: The variant that is being downloaded.
    func verdict(
        _ variants: [VariantCandidate], current: VariantCandidate, _ progress: DownloadProgress, _ input: ChooserInput,
        _ lookAhead: LookAheadRule
    ) -> Verdict? {
        let minimumElapsedFraction =
            input.bufferedDuration >= longBufferThreshold ? minimumElapsedFraction : shortBufferMinimumElapsedFraction
        guard progress.elapsed.inSeconds * input.rate >= minimumElapsedFraction * input.segmentDuration.inSeconds else {
            return nil
        }
        let rate = expectedRate(progress, input)
        let remainingTime =
            max(sizeInBits(current, progress, input, lookAhead) - Double(progress.receivedBytes) * 8, 0) / rate
        guard remainingTime * input.rate > progress.playableDuration.inSeconds - minimumFinalBuffer.inSeconds else {
            return nil
        }
        // Abandoning the download discards the received part of the segment. Therefore the lower variant must arrive
        // earlier by at least the play time of that part.
        let discardedPlayTime =
            max(progress.playableDuration.inSeconds - input.bufferedDuration.inSeconds, 0) / input.rate
        let fasterVariants = variants.indices.compactMap { position -> Verdict? in
            let variant = variants[position]
            guard variant.bandwidth < current.bandwidth else { return nil }
            let time = input.estimate.latency.inSeconds + lookAhead.bits(of: variant, at: 0, input) / rate
            return time + discardedPlayTime < remainingTime
                ? Verdict(replacementIndex: position, remainingTime: remainingTime, replacementTime: time) : nil
        }
        return fasterVariants.last {
            $0.replacementTime * input.rate <= input.bufferedDuration.inSeconds - minimumFinalBuffer.inSeconds
        }
            ?? fasterVariants.first
    }

    /// Returns the segment's size in bits: as the server states it, else as predicted from the playlist.
    private func sizeInBits(
        _ current: VariantCandidate, _ progress: DownloadProgress, _ input: ChooserInput, _ lookAhead: LookAheadRule
    ) -> Double {
        progress.totalBytes.map { Double($0) * 8 } ?? lookAhead.bits(of: current, at: 0, input)
    }

    /// Returns the rate at which the rest of the segment is expected to arrive, in bits per second.
    private func expectedRate(_ progress: DownloadProgress, _ input: ChooserInput) -> Double {
        var rate = input.estimate.bitsPerSecond
        if input.bufferedDuration >= longBufferThreshold { return rate }
        if let recent = progress.recentBitsPerSecond, recent.isFinite { rate = min(rate, recent) }
        if let time = progress.transferTime, time > 0 {
            rate = min(rate, Double(progress.receivedBytes) * 8 / time.inSeconds)
        } else {
            rate = min(rate, Double(progress.receivedBytes) * 8 / max(progress.elapsed.inSeconds, 1e-9))
        }
        return max(rate, 1)
    }
}
