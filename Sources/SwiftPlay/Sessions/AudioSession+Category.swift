import SystemCalls

extension AudioSession {
    /// The registration of an observer of the category. It ends when this object is released.
    package final class CategoryObservation: Sendable {
        private let session: AudioSession
        private let number: UInt64

        fileprivate init(session: AudioSession, number: UInt64) { (self.session, self.number) = (session, number) }

        deinit { session.state.withLock { $0.observers.remove(number) } }
    }

    /// Observes ``category``.
    ///
    /// - Parameter observer: Called when the category may have changed, on any thread.
    /// - Returns: The registration. Keep it as long as the observer is to be called.
    package func observeCategory(_ observer: @escaping @Sendable () -> Void) -> CategoryObservation {
        CategoryObservation(session: self, number: state.withLock { $0.observers.addOfCategory(observer) })
    }

    func categoryChanged() {
        for observer in state.withLock({ $0.observers.ofCategory }) { observer() }
    }
}
