import SystemCalls

extension AudioSession {
    /// Keeps an observer of the category registered as long as it lives.
    package final class CategoryObservation: Sendable {
        private let session: AudioSession
        private let number: UInt64

        fileprivate init(session: AudioSession, number: UInt64) { (self.session, self.number) = (session, number) }

        deinit { session.state.withLock { _ = $0.categoryObservers.removeValue(forKey: number) } }
    }

    /// Calls `observer` whenever ``category`` may have changed, on any thread, for as long as the result is kept.
    package func observeCategory(_ observer: @escaping @Sendable () -> Void) -> CategoryObservation {
        let number = state.withLock { state in
            defer { state.next += 1 }
            state.categoryObservers[state.next] = observer
            return state.next
        }
        return CategoryObservation(session: self, number: number)
    }

    func categoryChanged() {
        for observer in state.withLock({ Array($0.categoryObservers.values) }) { observer() }
    }
}
