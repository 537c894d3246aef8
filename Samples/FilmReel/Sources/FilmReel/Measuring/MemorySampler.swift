import Dispatch
import Synchronization

/// Reads the memory of the process every two seconds, and keeps the largest figures. Any thread.
final class MemorySampler: Sendable {
    private let peak = Mutex<ProcessFigures?>(nil)
    private let stop = DispatchSemaphore(value: 0)
    private let thread = Mutex<WorkerThread?>(nil)
    /// The time between two readings, in seconds. The kernel walks all mapped pages, which delays the main thread.
    private static let interval = 2.0

    /// Starts the thread "memory sampler".
    init() {
        thread.withLock { thread in
            thread = WorkerThread("memory sampler") { [self] in
                while stop.wait(timeout: .now() + Self.interval) == .timedOut { sample() }
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

    /// Ends the thread, and returns the figures with the largest dirty memory.
    func finish() -> ProcessFigures? {
        stop.signal()
        let thread = thread.withLock { $0.take() }
        if thread?.join(seconds: 1) == false { print("film-reel: the thread of the memory figures has not ended") }
        return peak.withLock { $0 }
    }
}
