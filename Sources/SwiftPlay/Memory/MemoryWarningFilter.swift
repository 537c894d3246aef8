/// Suppresses memory warnings that follow one another too fast, so that many warnings in a short time do not take
/// processor time. A pure value; host times are in nanoseconds.
///
/// The compositor process repeats a warning every 10 s and a critical one every 2 s, so that these repetitions
/// are not suppressed.
struct MemoryWarningFilter {
    /// The minimum time between two accepted warnings of the level `warning`, in nanoseconds.
    private static let warningInterval: Int64 = 8_000_000_000
    /// The minimum time between two accepted warnings of the level `critical`, in nanoseconds.
    private static let criticalInterval: Int64 = 1_500_000_000

    /// The warning that was accepted last.
    private var lastAccepted: (level: MemoryPressure, time: Int64)?

    /// Returns whether a program must be notified of a warning. A more severe warning than the last one is always
    /// accepted.
    mutating func accepts(_ level: MemoryPressure, now: Int64) -> Bool {
        guard level != .normal else { return false }
        let interval = level == .critical ? Self.criticalInterval : Self.warningInterval
        if let lastAccepted, level <= lastAccepted.level, now - lastAccepted.time < interval { return false }
        lastAccepted = (level, now)
        return true
    }
}
