import Dispatch
import Synchronization

/// Reads the memory usage of the process at the start, every two seconds and at the end, and keeps the largest value.
/// Thread-safe.
final class MemorySampler: Sendable {
    private let peak = Mutex<ProcessFigures?>(nil)
    private let stopSemaphore = DispatchSemaphore(value: 0)
    private let thread = Mutex<WorkerThread?>(nil)
    /// The time between two readings, in seconds. Each reading delays the main thread, because the kernel visits all
    /// mapped pages.
    private static let interval = 2.0

    /// Starts the thread that reads the memory usage.
    init() {
        thread.withLock { thread in
            thread = WorkerThread("memory sampler") { [self] in
                repeat { sample() } while stopSemaphore.wait(timeout: .now() + Self.interval) == .timedOut
            }
        }
    }

    private func sample() {
        guard let figures = ProcessFigures.current else { return }
        peak.withLock { peak in
            if let largest = peak, largest.dirty >= figures.dirty { return }
            peak = figures
        }
    }

    /// Ends the thread, and returns the reading with the largest dirty memory. Further calls return the same reading.
    func finish() -> ProcessFigures? {
        if let thread = thread.withLock({ $0.take() }) {
            stopSemaphore.signal()
            if !thread.join(until: .now() + 1) { print("film-reel: the thread of the memory figures has not ended") }
            sample()
        }
        return peak.withLock { $0 }
    }
}
