/// The constants of ``ThroughputEstimator``. Times are in nanoseconds.
package struct ThroughputParameters: Sendable, Equatable {
    /// The half-life, in nanoseconds, of the throughput average that follows a change quickly.
    package var fastHalfLife = Int64(nanosecondsOf: 3)
    /// The half-life, in nanoseconds, of the throughput average that resists short peaks.
    package var slowHalfLife = Int64(nanosecondsOf: 9)
    /// The number of bytes from which a download measures the throughput; smaller downloads measure only the latency.
    package var minimumSampleBytes: Int64 = 16 << 10
    /// The number of measured bytes from which the estimate is trusted.
    package var trustedBytes: Int64 = 128_000
    /// The least weight of a sample, as a fraction of the segment's play time. Weights by transfer time alone would
    /// make short downloads, and therefore each recovery of the link, count too little.
    package var minimumWeightFraction = 0.5
    /// The throughput that is assumed before the first measurement, in bits per second.
    package var initialBitsPerSecond = 1_000_000.0
    /// The age, in nanoseconds, up to which a remembered throughput of the host replaces the initial throughput.
    package var rememberedAgeLimit = Int64(nanosecondsOf: 600)
    /// The fraction of the remembered throughput with which the estimate starts.
    package var rememberedThroughputFraction = 0.6

    package init() {}
}
