import SystemCalls

/// A completion handler that is called exactly once; the first result counts.
final class SeekAnswer: Sendable {
    private let handler: Monitor<(@Sendable (Bool) -> Void)?>

    init(_ handler: @escaping @Sendable (Bool) -> Void) { self.handler = Monitor(handler) }

    func give(_ finished: Bool) { handler.withLock { $0.take() }?(finished) }
    var isGiven: Bool { handler.withLock { $0 == nil } }
}
