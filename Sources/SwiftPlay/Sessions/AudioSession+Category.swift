import SystemCalls

extension AudioSession {
    /// The registration of an observer of the category. It ends when this object is released.
    package final class CategoryObservation: Sendable {
        private let session: AudioSession
        /// The registration number of the observer in `session`.
        private let observerNumber: UInt64

        fileprivate init(session: AudioSession, observerNumber: UInt64) {
            (self.session, self.observerNumber) = (session, observerNumber)
        }

        deinit { session.state.withLock { $0.observers.remove(observerNumber) } }
    }

    /// Observes ``category``.
    ///
    /// - Parameter observer: Called when the category may have changed, on any thread.
    /// - Returns: The registration. Keep it as long as the observer must be called.
    package func observeCategory(_ observer: @escaping @Sendable () -> Void) -> CategoryObservation {
        CategoryObservation(
            session: self, observerNumber: state.withLock { $0.observers.addCategoryObserver(observer) })
    }

    /// Calls the observers of the category.
    func notifyCategoryObservers() {
        for observer in state.withLock({ $0.observers.allCategoryObservers }) { observer() }
    }
}
