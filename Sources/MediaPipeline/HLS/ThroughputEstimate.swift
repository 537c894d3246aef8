/// The expected throughput of the network link.
package struct ThroughputEstimate: Sendable, Equatable {
    /// The expected throughput in bits per second; positive and finite.
    package let bitsPerSecond: Double
    /// Whether the throughput is based on enough measured bytes; otherwise it is an initial value.
    package let isTrusted: Bool
    /// The expected time from a request to its first byte, in nanoseconds; 0 before the first measurement.
    package let latency: Int64

    /// Clamps the rate to 1 b/s…1 Tb/s and the latency to 0…60 s. A rate that is not a number becomes 1 b/s.
    package init(bitsPerSecond: Double, isTrusted: Bool = true, latency: Int64 = 0) {
        self.bitsPerSecond = bitsPerSecond >= 1 ? min(bitsPerSecond, 1e12) : 1
        self.isTrusted = isTrusted
        self.latency = min(max(latency, 0), Int64(nanosecondsOf: 60))
    }
}
