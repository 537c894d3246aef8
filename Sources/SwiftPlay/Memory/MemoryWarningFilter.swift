/// Refuses warnings about memory that follow one another too fast, so that a storm of them costs nothing. A pure value;
/// host times are nanoseconds.
///
/// The compositor process repeats a warning every 10 s and a critical one every 2 s, so that none of these is refused.
struct MemoryWarningFilter {
    /// The least time between two accepted warnings of the same level.
    private static let warningInterval: Int64 = 8_000_000_000, criticalInterval: Int64 = 1_500_000_000

    /// The warning that was accepted last.
    private var accepted: (level: MemoryPressure, time: Int64)?

    /// Returns whether a program must be notified of a warning. A more severe warning than the last one is always
    /// accepted.
    mutating func accepts(_ level: MemoryPressure, now: Int64) -> Bool {
        guard level != .normal else { return false }
        let interval = level == .critical ? Self.criticalInterval : Self.warningInterval
        if let accepted, level <= accepted.level, now - accepted.time < interval { return false }
        accepted = (level, now)
        return true
    }
}
