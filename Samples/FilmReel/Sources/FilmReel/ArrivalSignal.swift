import Dispatch
import Synchronization

/// A signal from any thread to the main thread. If several signals arrive before the main thread handles the first one,
/// the main thread handles them as one signal.
final class ArrivalSignal: Sendable {
    private let isPending = Atomic(false)
    private let onSignal: @MainActor @Sendable () -> Void

    /// Creates a signal.
    ///
    /// - Parameter onSignal: Called on the main thread after one or more signals.
    init(onSignal: @escaping @MainActor @Sendable () -> Void) { self.onSignal = onSignal }

    /// Signals the main thread. Thread-safe.
    func signal() {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.main.async { [self] in
            isPending.store(false, ordering: .releasing)
            MainActor.assumeIsolated { onSignal() }
        }
    }
}
