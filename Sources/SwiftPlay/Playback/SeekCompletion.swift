import SystemCalls

/// The completion handler of a seek or preroll. It is called exactly once; the first result counts.
final class SeekCompletion: Sendable {
    private struct State {
        /// The handler; nil after it was called.
        var handler: (@Sendable (Bool) -> Void)?
    }

    private let state: Monitor<State>

    init(_ handler: @escaping @Sendable (Bool) -> Void) { state = Monitor(State(handler: handler)) }

    /// Calls the handler, unless it was called before.
    func complete(_ finished: Bool) { state.withLock { $0.handler.take() }?(finished) }
    /// Whether the handler was called.
    var isCompleted: Bool { state.withLock { $0.handler == nil } }
}
