/// The state of playback when ``VariantChooser`` makes a decision. Times are in nanoseconds.
package struct ChooserInput: Sendable, Equatable {
    /// The host time of the decision, in nanoseconds.
    package var now: Int64
    /// The media time, in nanoseconds, between the playhead and the end of the last completely downloaded segment.
    package var bufferedDuration: Int64
    /// The number of completely downloaded segments ahead of the playhead.
    package var bufferedSegmentCount: Int
    /// The play time of the next segment, in nanoseconds.
    package var segmentDuration: Int64
    /// The expected throughput of the network link.
    package var estimate: ThroughputEstimate
    /// The playback rate. A rate that is not positive counts as 1, because a paused player resumes at any time.
    package var rate: Double
    /// The sizes in bytes of the next segments, by variant number; only for variants whose playlist states byte ranges.
    package var segmentSizes: [Int: [Int64]]
    /// The number of segments up to the end of the stream, including the next one; nil if the end is unknown, as in
    /// live streams.
    package var remainingSegmentCount: Int?

    /// Replaces invalid values: negative buffered times and numbers become 0, the segment duration at least 1 ns, and
    /// an invalid playback rate 1.
    package init(
        now: Int64, bufferedDuration: Int64, bufferedSegmentCount: Int, segmentDuration: Int64,
        estimate: ThroughputEstimate,
        rate: Double = 1, segmentSizes: [Int: [Int64]] = [:], remainingSegmentCount: Int? = nil
    ) {
        self.now = now
        self.bufferedDuration = max(bufferedDuration, 0)
        self.bufferedSegmentCount = max(bufferedSegmentCount, 0)
        self.segmentDuration = max(segmentDuration, 1)
        self.estimate = estimate
        self.rate = rate.isFinite && rate > 0 ? rate : 1
        self.segmentSizes = segmentSizes
        self.remainingSegmentCount = remainingSegmentCount
    }

    /// The highest bit rate of media that the network link can deliver in time, in bits per second: the estimated
    /// throughput divided by the playback rate.
    var usableBitRate: Double { estimate.bitsPerSecond / rate }
}
