/// The detector of threads that have work but make no progress. A pure value.
///
/// The detector counts checks instead of time: while the whole process is stopped, time passes without checks.
struct StallDetector: Equatable, Sendable {
    /// Nanoseconds between two checks.
    static let checkInterval: Int64 = 500_000_000
    /// The number of consecutive checks without progress after which a thread counts as stalled: 6 checks, 500 ms
    /// apart, are 3 s.
    static let checkLimit = 6

    /// The thread's progress at the last check.
    private var lastProgress: UInt64?
    /// The number of consecutive checks without progress so far.
    private var checkCountWithoutProgress = 0
    /// The host time of the next check; `nil` while the thread has no work.
    private(set) var deadline: Int64?

    /// Checks the progress of the thread.
    ///
    /// - Parameters:
    ///   - progress: A number that changes with each step of the thread; `nil` if the thread has no work.
    ///   - now: The host time.
    /// - Returns: Whether the thread has stalled.
    mutating func check(_ progress: UInt64?, now: Int64) -> Bool {
        guard let progress else {
            self = StallDetector()
            return false
        }
        guard progress == lastProgress else {
            (lastProgress, checkCountWithoutProgress, deadline) = (progress, 0, now + Self.checkInterval)
            return false
        }
        guard let checkTime = deadline, now >= checkTime else { return false }
        checkCountWithoutProgress += 1
        deadline = now + Self.checkInterval
        return checkCountWithoutProgress >= Self.checkLimit
    }
}
