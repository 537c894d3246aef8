import Dispatch
import SwiftPlay
import Synchronization

/// The result of a request for a still, for which a thread can wait.
final class StillResult: Sendable {
    private let result = Mutex<Result<PixelBuffer, PlaybackError>?>(nil)
    private let isSetSemaphore = DispatchSemaphore(value: 0)

    /// Sets the result and wakes the waiting thread.
    func set(_ newResult: Result<PixelBuffer, PlaybackError>) {
        result.withLock { $0 = newResult }
        isSetSemaphore.signal()
    }

    /// Waits for the result; returns nil if no result was set within `seconds`.
    func wait(seconds: Double) -> Result<PixelBuffer, PlaybackError>? {
        guard isSetSemaphore.wait(timeout: .now() + seconds) == .success else { return nil }
        return result.withLock { $0 }
    }
}
