import SharedFrames
import SystemCalls

/// Shows frames to nobody, on time: `--vo=null`.
package final class HeadlessOutput: VideoOutput {
    private struct State {
        var prepared: VideoFrame?
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

    package func prepare(_ frame: VideoFrame) { state.withLock { $0.prepared = frame } }

    package func present() -> Int64? {
        state.withLock { $0.prepared.take() } == nil ? nil : MonotonicTime.now
    }

    package func showPlaceholder(_ text: String?) {}
    package func showMessage(_ text: String?) {}
    package func close() { state.withLock { $0.prepared = nil } }
}
