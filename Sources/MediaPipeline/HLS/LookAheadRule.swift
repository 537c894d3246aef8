/// The rule of steady playback: a variant may be chosen if downloading its next segments does not use up the buffer.
package struct LookAheadRule: Sendable, Equatable {
    /// The maximum number of next segments whose downloads are predicted.
    package var predictedSegmentLimit = 4
    /// The fraction of the estimated throughput that the prediction assumes.
    package var usableThroughputFraction = 0.85
    /// The buffered time that must be left after the predicted downloads, in nanoseconds.
    package var minimumBuffer = Int64(nanosecondsOf: 8)
    /// The buffered time that must be left after the predicted downloads in a variant above the current one, in
    /// nanoseconds.
    package var upwardMinimumBuffer = Int64(nanosecondsOf: 12)
    /// The buffered time that must be left if the predicted downloads reach the end of the stream, in nanoseconds. No
    /// later segment needs the buffer.
    package var endMinimumBuffer = Int64(nanosecondsOf: 2)
    /// The minimum time between two changes to a higher variant, in nanoseconds.
    package var minimumUpwardInterval = Int64(nanosecondsOf: 8)
    /// The number of buffered segments from which a variant's `AVERAGE-BANDWIDTH` predicts its segments' sizes. With
    /// fewer buffered segments, `BANDWIDTH` predicts the sizes: a single segment may be that large, and a short buffer
    /// must not run empty while it loads.
    package var averageBitRateMinimumSegmentCount = 2

    package init() {}

    /// Returns the expected bit rate of a variant's next segments, in bits per second.
    func bitRate(of variant: VariantCandidate, _ input: ChooserInput) -> Double {
        Double(
            input.bufferedSegmentCount >= averageBitRateMinimumSegmentCount ? variant.typicalBitRate : variant.bandwidth
        )
    }

    /// Returns the expected size of a segment in bits.
    ///
    /// - Parameter position: The position of the segment among the next segments, counted from 0.
    func bits(of variant: VariantCandidate, at position: Int, _ input: ChooserInput) -> Double {
        if let sizes = input.segmentSizes[variant.index], sizes.indices.contains(position), sizes[position] > 0 {
            return Double(sizes[position]) * 8
        }
        return bitRate(of: variant, input) * input.segmentDuration.inSeconds
    }

    /// Returns the buffered time that is left after the predicted downloads, in seconds; negative if the
    /// buffer runs empty before.
    func predictedBuffer(of variant: VariantCandidate, _ input: ChooserInput) -> Double {
        let assumedRate = usableThroughputFraction * input.estimate.bitsPerSecond
        return (0..<predictedSegmentCount(input)).reduce(input.bufferedDuration.inSeconds) { buffer, position in
            let time = input.estimate.latency.inSeconds + bits(of: variant, at: position, input) / assumedRate
            return buffer - time * input.rate + input.segmentDuration.inSeconds
        }
    }

    /// Returns whether the buffer is long enough after the predicted downloads, or at least does not become shorter.
    func allows(predictedBuffer: Double, isUpward: Bool, _ input: ChooserInput) -> Bool {
        let reachesEnd = input.remainingSegmentCount.map { $0 <= predictedSegmentLimit } ?? false
        let requiredBuffer = reachesEnd ? endMinimumBuffer : isUpward ? upwardMinimumBuffer : minimumBuffer
        return predictedBuffer >= requiredBuffer.inSeconds || predictedBuffer >= input.bufferedDuration.inSeconds
    }

    /// Returns the number of segments to predict: at least one, and fewer at the end of the stream.
    private func predictedSegmentCount(_ input: ChooserInput) -> Int {
        max(min(predictedSegmentLimit, input.remainingSegmentCount ?? predictedSegmentLimit), 1)
    }
}
