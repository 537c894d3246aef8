/// A histogram of durations with a fixed number of buckets, whose bounds are powers of two of a microsecond.
package struct TimeHistogram: Sendable, Equatable {
    /// `counts[n]` counts durations from 2^(n-1) to below 2^n microseconds; the last bucket also counts all longer
    /// durations.
    package private(set) var counts = [Int](repeating: 0, count: 24)
    package private(set) var sum: Int64 = 0

    package init() {}

    package var count: Int { counts.reduce(0, +) }

    package mutating func record(nanoseconds: Int64) {
        let micros = UInt64(clamping: nanoseconds) / 1000
        counts[min(64 - micros.leadingZeroBitCount, counts.count - 1)] += 1
        sum &+= max(nanoseconds, 0)
    }

    /// The upper bound of bucket `index`, in nanoseconds.
    package static func bound(_ index: Int) -> Int64 { 1000 << Int64(min(max(index, 0), 40)) }
}
