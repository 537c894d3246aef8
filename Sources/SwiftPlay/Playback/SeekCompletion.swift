import SystemCalls

/// The completion handler of a seek or preroll. It is called exactly once; the first result counts.
final class SeekCompletion: Sendable {
    private let handler: Monitor<(@Sendable (Bool) -> Void)?>

    init(_ handler: @escaping @Sendable (Bool) -> Void) { self.handler = Monitor(handler) }

    /// Calls the handler, unless it was called before.
    func complete(_ finished: Bool) { handler.withLock { $0.take() }?(finished) }
    /// Whether the handler was called.
    var isCompleted: Bool { handler.withLock { $0 == nil } }
}
