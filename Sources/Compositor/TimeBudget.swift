import SystemCalls

/// The time budget of one program in one iteration of the event loop.
///
/// When the budget is used up, the program's remaining work waits for the next iteration, so that other programs are
/// served in between. One piece of work, such as drawing a picture, is never divided.
struct TimeBudget {
    /// The budget of one iteration in nanoseconds: about the time to draw four pictures of a typical film.
    static let maximumTime: Int64 = 8_000_000

    /// The time that the program has used in this iteration, in nanoseconds.
    private var spentTime: Int64 = 0

    /// Whether the rest of the program's work must wait for the next iteration.
    var isUsedUp: Bool { spentTime >= Self.maximumTime }

    /// Counts the nanoseconds since the host time `start`.
    mutating func spend(since start: Int64) { spentTime += MonotonicTime.now - start }
}
