import Testing

@testable import MediaPipeline

@Suite struct ThroughputEstimateTests {
    @Test(
        "The rate is clamped to 1 b/s…1 Tb/s",
        arguments: [(Double.nan, 1.0), (-5, 1), (0, 1), (.infinity, 1e12), (7, 7)])
    func estimatedRateIsClampedTo1BitTo1TerabitPerSecond(bitsPerSecond: Double, expected: Double) {
        #expect(ThroughputEstimate(bitsPerSecond: bitsPerSecond).bitsPerSecond == expected)
    }

    @Test("The latency is clamped to 0…60 s") func latencyIsClampedTo60Seconds() {
        #expect(ThroughputEstimate(bitsPerSecond: 1, latency: -1).latency == 0)
        #expect(ThroughputEstimate(bitsPerSecond: 1, latency: .max).latency == 60_000_000_000)
    }
}
