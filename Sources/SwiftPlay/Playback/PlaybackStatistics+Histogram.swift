import SystemCalls

extension PlaybackStatistics {
    /// The distribution of a duration over many measurements.
    public struct Histogram: Sendable, Equatable {
        /// A range of durations and the number of measurements in it.
        public struct Bucket: Sendable, Equatable {
            /// The exclusive upper bound in seconds; the previous bucket's bound is the inclusive lower bound.
            public let upperBound: Double
            /// The number of measurements in this range.
            public let count: Int
        }
        /// The measured durations, counted by range.
        private let times: TimeHistogram

        /// The ranges in ascending order, bounded by powers of two of a microsecond. The last range includes all longer
        /// durations.
        public var buckets: [Bucket] {
            times.counts.indices.map {
                Bucket(upperBound: Double(TimeHistogram.upperBound(ofBucket: $0)) / 1e9, count: times.counts[$0])
            }
        }
        /// The sum of all durations, in seconds.
        public var total: Double { Double(times.sum) / 1e9 }
        /// The number of measurements.
        public var count: Int { times.count }
        /// The mean duration in seconds; nil without measurements.
        public var mean: Double? { count == 0 ? nil : total / Double(count) }

        /// Returns an upper bound of a quantile of the durations, in seconds: the upper bound of the bucket that
        /// contains it.
        ///
        /// - Parameter part: The fraction of all durations up to the quantile, clamped to 0...1: 0.5 for the median,
        ///   0.9 for the 90th percentile. NaN counts as 0.
        /// - Returns: The bound; nil without measurements.
        public func quantile(_ part: Double) -> Double? {
            let fraction = part.isNaN ? 0 : min(max(part, 0), 1)
            let target = Int((Double(count) * fraction).rounded(.up))
            var countSoFar = 0
            for bucket in buckets where bucket.count > 0 {
                countSoFar += bucket.count
                if countSoFar >= target { return bucket.upperBound }
            }
            return nil
        }

        /// Wraps a ``TimeHistogram`` of durations.
        package init(_ times: TimeHistogram = TimeHistogram()) { self.times = times }
    }
}
