/// A histogram of durations with a fixed number of buckets, whose bounds are powers of two in microseconds.
package struct TimeHistogram: Sendable, Equatable {
    /// The number of durations in each bucket. Bucket 0 counts durations below 1 microsecond, bucket n durations from
    /// 2^(n-1) to below 2^n microseconds; the last bucket also counts all longer durations.
    package private(set) var counts = [Int](repeating: 0, count: 24)
    /// The sum of all durations, in nanoseconds.
    package private(set) var sum: Int64 = 0

    /// Creates a histogram without durations.
    package init() {}

    /// The number of all recorded durations.
    package var count: Int { counts.reduce(0, +) }

    /// Adds a duration. A negative duration counts as 0.
    package mutating func record(nanoseconds: Int64) {
        let microseconds = UInt64(clamping: nanoseconds) / 1000
        counts[min(64 - microseconds.leadingZeroBitCount, counts.count - 1)] += 1
        sum &+= max(nanoseconds, 0)
    }

    /// Returns the upper bound of the durations in bucket `index`, in nanoseconds.
    package static func upperBound(ofBucket index: Int) -> Int64 { 1000 << Int64(min(max(index, 0), 40)) }
}
