/// Limits slow work to one request at a time: while the work for one value runs, only the newest requested value is
/// kept.
struct LatestRequest<Value: Equatable & Sendable>: Sendable {
    /// The value whose work is running; nil if no work is running.
    private(set) var runningValue: Value?
    /// The newest requested value, which waits for the end of the running work; nil if no value waits.
    private(set) var waitingValue: Value?

    init() {}

    /// Requests work for a value.
    ///
    /// - Returns: The value whose work the caller must start now; nil if other work is running.
    mutating func request(_ value: Value) -> Value? {
        if runningValue == nil {
            runningValue = value
            return value
        }
        waitingValue = value == runningValue ? nil : value
        return nil
    }

    /// Records that the running work has ended.
    ///
    /// - Returns: The waiting value, whose work the caller must start now; nil if no value waits.
    mutating func finish() -> Value? {
        runningValue = waitingValue.take()
        return runningValue
    }

    /// Discards the waiting value.
    mutating func discardWaitingValue() { waitingValue = nil }
}
