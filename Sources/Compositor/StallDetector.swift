/// The detector of threads that have work but make no progress. A pure value.
///
/// It counts checks instead of time, because the whole process may have been stopped meanwhile.
struct StallDetector: Equatable, Sendable {
    /// Nanoseconds between two checks.
    static let interval: Int64 = 500_000_000
    /// The number of consecutive checks without progress after which a thread has stalled: 3 s.
    static let limit = 6

    private var last: UInt64?
    private var looks = 0
    /// The host time of the next check; `nil` while the thread has no work.
    private(set) var deadline: Int64?

    /// Checks the progress of the thread.
    ///
    /// - Parameters:
    ///   - progress: A number that changes with each step of the thread; `nil` if the thread has no work.
    ///   - now: The host time.
    /// - Returns: Whether the thread has stalled.
    mutating func look(_ progress: UInt64?, now: Int64) -> Bool {
        guard let progress else {
            self = StallDetector()
            return false
        }
        guard progress == last else {
            (last, looks, deadline) = (progress, 0, now + Self.interval)
            return false
        }
        guard let due = deadline, now >= due else { return false }
        looks += 1
        deadline = now + Self.interval
        return looks >= Self.limit
    }
}
