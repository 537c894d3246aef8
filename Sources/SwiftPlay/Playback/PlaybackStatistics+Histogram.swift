import SystemCalls

extension PlaybackStatistics {
    /// How long something took, over many times.
    public struct Histogram: Sendable, Equatable {
        /// One range of times and how often it was met.
        public struct Bucket: Sendable, Equatable {
            /// Seconds; times of this bucket are below it, and not below the bound of the bucket before.
            public let upperBound: Double
            public let count: Int
        }
        private let times: TimeHistogram

        /// In order, by powers of two of a microsecond; the last one also holds everything beyond.
        public var buckets: [Bucket] {
            times.counts.indices.map {
                Bucket(upperBound: Double(TimeHistogram.bound($0)) / 1e9, count: times.counts[$0])
            }
        }
        /// Seconds altogether.
        public var total: Double { Double(times.sum) / 1e9 }
        public var count: Int { times.count }
        /// Seconds; nil when there is nothing to take it of.
        public var mean: Double? { count == 0 ? nil : total / Double(count) }

        /// Upper bound, in seconds, of the bucket that the given part of all times lies in or below; nil when there is
        /// none.
        ///
        /// - Parameter part: 0...1: 0.5 for the median, 0.9 for nine of ten.
        public func quantile(_ part: Double) -> Double? {
            let wanted = Int((Double(count) * min(max(part, 0), 1)).rounded(.up))
            var seen = 0
            for bucket in buckets where bucket.count > 0 {
                seen += bucket.count
                if seen >= wanted { return bucket.upperBound }
            }
            return nil
        }

        package init(_ times: TimeHistogram = TimeHistogram()) { self.times = times }
    }
}
