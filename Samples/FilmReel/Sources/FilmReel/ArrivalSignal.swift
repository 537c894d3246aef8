import Dispatch
import Synchronization

/// Passes signals of other threads to the main thread. Signals that arrive before the main thread has handled the last
/// one become one.
final class ArrivalSignal: Sendable {
    private let isPending = Atomic(false)
    private let onSignal: @MainActor @Sendable () -> Void

    /// Creates a signal.
    ///
    /// - Parameter onSignal: Called on the main thread after signals.
    init(onSignal: @escaping @MainActor @Sendable () -> Void) { self.onSignal = onSignal }

    /// Signals. Any thread.
    func signal() {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.main.async { [self] in
            isPending.store(false, ordering: .releasing)
            MainActor.assumeIsolated { onSignal() }
        }
    }
}
