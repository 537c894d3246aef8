import Dispatch
import SwiftPlay
import Synchronization

/// The answer of a request for a still, for which a thread waits.
final class StillAnswer: Sendable {
    private let result = Mutex<Result<PixelBuffer, PlaybackError>?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    /// Sets the answer.
    func set(_ answer: Result<PixelBuffer, PlaybackError>) {
        result.withLock { $0 = answer }
        isSet.signal()
    }

    /// Waits for the answer; returns nil if there is none in time.
    func wait(seconds: Double) -> Result<PixelBuffer, PlaybackError>? {
        guard isSet.wait(timeout: .now() + seconds) == .success else { return nil }
        return result.withLock { $0 }
    }
}
