/// Estimates the link's throughput from the downloads of media segments.
///
/// The estimate is the minimum of two moving averages: when the link becomes slower, the estimate falls quickly; when
/// the link becomes faster, it rises slowly. The time to the first byte is averaged separately. The estimator outlives
/// a seek and an item, because it describes the link.
package struct ThroughputEstimator: Sendable, Equatable {
    /// The constants of the throughput estimate.
    package let parameters: ThroughputParameters
    /// The throughput that is assumed until enough bytes are measured, in bits per second.
    private let initialBitsPerSecond: Double
    /// The average of the throughput that follows a change quickly, in bits per second.
    private var fastAverage: DecayingAverage
    /// The average of the throughput that resists short peaks, in bits per second.
    private var slowAverage: DecayingAverage
    /// The average time to the first byte, in seconds; each request weighs one second.
    private var averageLatency: DecayingAverage
    /// The number of bytes of all samples that were large enough to count.
    private var measuredBytes: Int64 = 0
    /// The measurement of the download in progress; nil if there is none.
    private var provisionalSample: TransferSample?

    /// The shortest transfer time, in seconds, that a rate is computed with: a segment from a local cache arrives in
    /// one read.
    private static let minimumTransferTime = 0.001

    /// Creates an estimator without measurements.
    ///
    /// - Parameters:
    ///   - remembered: The last rate of the same host; used until the estimate is trusted, if it is recent.
    ///   - now: The host time, in nanoseconds.
    package init(
        remembered: RememberedThroughput? = nil, now: Int64 = 0, parameters: ThroughputParameters = .init()
    ) {
        self.parameters = parameters
        fastAverage = DecayingAverage(halfLife: parameters.fastHalfLife.inSeconds)
        slowAverage = DecayingAverage(halfLife: parameters.slowHalfLife.inSeconds)
        averageLatency = DecayingAverage(halfLife: parameters.fastHalfLife.inSeconds)
        if let remembered, remembered.bitsPerSecond.isFinite, remembered.bitsPerSecond > 0, remembered.time <= now,
            now < remembered.time.clampedSum(parameters.rememberedAgeLimit)
        {
            initialBitsPerSecond = remembered.bitsPerSecond * parameters.rememberedThroughputFraction
        } else {
            initialBitsPerSecond = parameters.initialBitsPerSecond
        }
    }

    /// Adds a finished or aborted download, which also ends the provisional sample.
    package mutating func record(_ sample: TransferSample) {
        provisionalSample = nil
        if sample.latency >= 0 { averageLatency.add(sample.latency.inSeconds, weight: 1) }
        guard sample.bytes >= parameters.minimumSampleBytes else { return }
        let rate = Self.bitsPerSecond(of: sample)
        let weight = max(
            sample.transferTime.inSeconds, sample.mediaDuration.inSeconds * parameters.minimumWeightFraction,
            Self.minimumTransferTime)
        fastAverage.add(rate, weight: weight)
        slowAverage.add(rate, weight: weight)
        measuredBytes = measuredBytes.clampedSum(sample.bytes)
    }

    /// Replaces the sample of the download in progress. The sample takes part in the estimate until the download is
    /// recorded. Its weight is the transfer time so far, because the start of a download is not representative.
    ///
    /// - Parameter sample: The part that has arrived so far; nil if the download was cancelled without a measurement.
    package mutating func setProvisionalSample(_ sample: TransferSample?) { provisionalSample = sample }

    /// Returns the current throughput estimate for the next item from the same host; nil until enough bytes are
    /// measured.
    package func throughputToRemember(at now: Int64) -> RememberedThroughput? {
        let estimate = estimate
        return estimate.isTrusted ? RememberedThroughput(bitsPerSecond: estimate.bitsPerSecond, time: now) : nil
    }

    /// The throughput and latency that are expected now.
    package var estimate: ThroughputEstimate {
        var (fast, slow, bytes) = (fastAverage, slowAverage, measuredBytes)
        if let provisional = provisionalSample, provisional.bytes >= parameters.minimumSampleBytes {
            let rate = Self.bitsPerSecond(of: provisional)
            let weight = max(provisional.transferTime.inSeconds, Self.minimumTransferTime)
            fast.add(rate, weight: weight)
            slow.add(rate, weight: weight)
            bytes = bytes.clampedSum(provisional.bytes)
        }
        let latency = Int64(nanosecondsOf: averageLatency.value ?? 0)
        guard bytes >= parameters.trustedBytes, let fastEstimate = fast.value, let slowEstimate = slow.value else {
            return ThroughputEstimate(bitsPerSecond: initialBitsPerSecond, isTrusted: false, latency: latency)
        }
        return ThroughputEstimate(bitsPerSecond: min(fastEstimate, slowEstimate), isTrusted: true, latency: latency)
    }

    /// Returns a sample's rate in bits per second, not counting the latency.
    private static func bitsPerSecond(of sample: TransferSample) -> Double {
        Double(sample.bytes) * 8 / max(sample.transferTime.inSeconds, minimumTransferTime)
    }
}
