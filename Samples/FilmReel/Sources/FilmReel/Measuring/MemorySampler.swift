import Dispatch
import Synchronization

/// Reads the dirty memory of the process at the start, ten times a second and at the end, and keeps the largest value.
/// Thread-safe.
final class MemorySampler: Sendable {
    private let peak = Mutex<Int?>(nil)
    private let stopSemaphore = DispatchSemaphore(value: 0)
    private let thread = Mutex<WorkerThread?>(nil)
    /// The time between two readings, in seconds.
    private static let interval = 0.1

    /// Starts the thread that reads the memory usage.
    init() {
        thread.withLock { thread in
            thread = WorkerThread("memory sampler") { [self] in
                repeat { sample() } while stopSemaphore.wait(timeout: .now() + Self.interval) == .timedOut
            }
        }
    }

    private func sample() {
        // Reading all figures (``ProcessFigures/current``) takes milliseconds, and could delay frames.
        guard let size = ProcessFigures.currentDirtySize else { return }
        peak.withLock { $0 = max($0 ?? 0, size) }
    }

    /// Ends the thread, and returns the largest dirty memory in bytes. Further calls return the same value.
    func finish() -> Int? {
        if let thread = thread.withLock({ $0.take() }) {
            stopSemaphore.signal()
            if !thread.join(until: .now() + 1) { print("film-reel: the thread of the memory figures has not ended") }
            sample()
        }
        return peak.withLock { $0 }
    }
}
