import Dispatch
import SwiftPlay
import Synchronization

/// The result of a request for a still, for which a thread can wait.
final class StillFuture: Sendable {
    private let result = Mutex<Result<PixelBuffer, any Error>?>(nil)
    private let isSetSemaphore = DispatchSemaphore(value: 0)

    /// Sets the result and wakes the waiting thread. Called once.
    func set(_ newResult: Result<PixelBuffer, any Error>) {
        result.withLock { $0 = newResult }
        isSetSemaphore.signal()
    }

    /// Waits for the result; returns nil if no result was set before `deadline`.
    func wait(until deadline: DispatchTime) -> Result<PixelBuffer, any Error>? {
        guard isSetSemaphore.wait(timeout: deadline) == .success else { return nil }
        return result.withLock { $0 }
    }
}
