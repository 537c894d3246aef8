/// Functions for host times (CLOCK_MONOTONIC, in nanoseconds).
enum HostTime {
    /// Returns the earlier of two deadlines; nil means no deadline.
    static func earlier(_ a: Int64?, _ b: Int64?) -> Int64? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }
}
