/// Decides when a thread that has work no longer makes progress. A pure value.
///
/// It counts looks at the thread instead of time, since the whole process may have been stopped meanwhile.
struct StallDetector: Equatable, Sendable {
    /// Nanoseconds between two looks.
    static let interval: Int64 = 500_000_000
    /// The number of looks, one after another, without progress: 3 s.
    static let limit = 6

    private var last: UInt64?
    private var looks = 0
    /// Host time of the next look; nil: the thread has no work.
    private(set) var deadline: Int64?

    /// Takes in what the thread has done.
    ///
    /// - Parameter progress: a number that changes with each step of the thread; nil: it has no work.
    /// - Returns: whether the thread has stalled.
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
