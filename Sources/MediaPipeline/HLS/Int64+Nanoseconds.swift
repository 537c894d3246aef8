import SystemCalls

extension Int64 {
    /// This time in nanoseconds, converted to seconds.
    var inSeconds: Double { Double(self) / Double(MonotonicTime.nanosecondsPerSecond) }

    /// Converts seconds to nanoseconds and clamps the result to the type's range; NaN becomes 0.
    init(nanosecondsOf seconds: Double) {
        let nanoseconds = seconds * Double(MonotonicTime.nanosecondsPerSecond)
        if let exactValue = Int64(exactly: nanoseconds.rounded()) {
            self = exactValue
        } else {
            self = nanoseconds.isNaN ? 0 : nanoseconds < 0 ? .min : .max
        }
    }

    /// Returns this number plus `other`, clamped to the type's range.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// Returns this number minus `other`, clamped to the type's range.
    func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }
}
