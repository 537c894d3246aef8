/// Work that takes a while and is wanted for the newest value only: one at a time, and of those that come meanwhile the
/// last. Pure.
struct NewestWins<Value: Equatable & Sendable>: Sendable {
    private(set) var running: Value?
    private(set) var waiting: Value?

    init() {}

    /// - Returns: what is to be begun now.
    mutating func want(_ value: Value) -> Value? {
        if running == nil {
            running = value
            return value
        }
        waiting = value == running ? nil : value
        return nil
    }

    /// What runs is done.
    ///
    /// - Returns: what is to be begun next.
    mutating func finish() -> Value? {
        running = waiting.take()
        return running
    }

    /// Nothing that waits is wanted any more.
    mutating func forget() { waiting = nil }
}
