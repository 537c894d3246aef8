import SystemCalls

extension AudioSession {
    /// Keeps an observer of the category registered as long as it lives.
    package final class CategoryObservation: Sendable {
        private let session: AudioSession
        private let number: UInt64

        fileprivate init(session: AudioSession, number: UInt64) { (self.session, self.number) = (session, number) }

        deinit { session.state.withLock { $0.observers.remove(number) } }
    }

    /// Calls `observer` whenever ``category`` may have changed, on any thread, for as long as the result is kept.
    package func observeCategory(_ observer: @escaping @Sendable () -> Void) -> CategoryObservation {
        CategoryObservation(session: self, number: state.withLock { $0.observers.addOfCategory(observer) })
    }

    func categoryChanged() {
        for observer in state.withLock({ $0.observers.ofCategory }) { observer() }
    }
}
