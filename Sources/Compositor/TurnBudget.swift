import SystemCalls

/// The time budget of one program in one turn of the loop.
///
/// When it is used up, the rest of the program's work waits for the next turn, so that other programs are served in
/// between. One piece of work, such as drawing a picture, is never divided.
struct TurnBudget {
    /// The budget in nanoseconds: about four pictures of a typical film.
    static let limit: Int64 = 8_000_000

    private var spent: Int64 = 0

    var isUsedUp: Bool { spent >= Self.limit }

    /// Counts the nanoseconds since the host time `start`.
    mutating func spend(since start: Int64) { spent += MonotonicTime.now - start }
}
