/// A queue of slow work that is needed for the newest value only: one piece of work runs, and the newest value waits. A
/// pure value.
struct NewestWins<Value: Equatable & Sendable>: Sendable {
    private(set) var running: Value?
    private(set) var waiting: Value?

    init() {}

    /// Requests work for a value.
    ///
    /// - Returns: The value to start with now; nil if work is running.
    mutating func want(_ value: Value) -> Value? {
        if running == nil {
            running = value
            return value
        }
        waiting = value == running ? nil : value
        return nil
    }

    /// Ends the running work.
    ///
    /// - Returns: The value to start with next.
    mutating func finish() -> Value? {
        running = waiting.take()
        return running
    }

    /// Discards the waiting value.
    mutating func forget() { waiting = nil }
}
