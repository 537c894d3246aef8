import SystemCalls

/// The time that the compositor spends on one program in one turn of its loop.
///
/// When it is used up the rest of the program's work waits for the next turn, in which the other programs are served
/// first. One piece of work, drawing a picture say, is never divided.
struct TurnBudget {
    /// Nanoseconds; some four pictures of a usual film.
    static let limit: Int64 = 8_000_000

    private var spent: Int64 = 0

    var isUsedUp: Bool { spent >= Self.limit }

    /// Counts the nanoseconds since `start`, a host time.
    mutating func spend(since start: Int64) { spent += MonotonicTime.now - start }
}
