import SharedFrames
import SystemCalls

/// An output without a display: it shows no frames and reports them as shown on time (`--vo=null`).
package final class HeadlessOutput: VideoOutput {
    /// The state that several threads share.
    private struct State {
        /// The frame that the next ``present()`` counts as shown.
        var preparedFrame: VideoFrame?
        var gravity = VideoGravity.resizeAspect
    }

    private let state = Monitor(State())
    package let size: PixelSize
    package var name: String { "null" }
    package var gravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { state.withLock { $0.gravity = newValue } }
    }

    package init(size: PixelSize = PixelSize(width: 1280, height: 720)) { self.size = size }

    package func prepare(_ frame: VideoFrame) { state.withLock { $0.preparedFrame = frame } }

    package func present() -> Int64? {
        state.withLock { $0.preparedFrame.take() } == nil ? nil : MonotonicTime.now
    }

    package func showPlaceholder(_ text: String?) {}
    package func showMessage(_ text: String?) {}
    package func close() { state.withLock { $0.preparedFrame = nil } }
}
