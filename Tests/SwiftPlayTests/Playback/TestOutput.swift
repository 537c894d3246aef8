import Glibc
import SharedFrames
import Synchronization
import Testing
import VideoOutput

@testable import SwiftPlay

/// A video output for tests that draws nothing and records the calls of the presenter.
final class TestOutput: VideoOutput {
    /// A recorded method call: numbers are frame numbers, strings are the texts to show.
    enum MethodCall: Equatable, Sendable {
        case prepare(UInt64)
        case present(UInt64)
        case placeholder(String?)
        case message(String?)
        case close
    }

    private struct State {
        var calls: [MethodCall] = []
        /// The number of the frame that is drawn and not yet presented; nil if there is none.
        var preparedFrameID: UInt64?
        var gravity = VideoGravity.resizeAspect
        var keepsScreenOn = false
        var onPresent: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    /// The simulated time that drawing a frame takes.
    private let drawingMilliseconds: UInt32
    let name = "test"
    let size: PixelSize
    let drawsCharacters: Bool
    init(
        drawingMilliseconds: UInt32 = 0, size: PixelSize = PixelSize(width: 16, height: 16),
        drawsCharacters: Bool = false
    ) {
        (self.drawingMilliseconds, self.size, self.drawsCharacters) = (drawingMilliseconds, size, drawsCharacters)
    }

    var gravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { state.withLock { $0.gravity = newValue } }
    }

    /// Returns the recorded method calls and clears the record.
    func takeCalls() -> [MethodCall] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    /// Sets a closure that is called on the presenter's thread before each frame becomes visible.
    func onPresent(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onPresent = body } }
    func pictureRectOnScreen(_ format: FrameFormat) -> PixelRect? {
        PixelRect(x: 0, y: 0, width: size.width, height: size.height)
    }

    var keepsScreenOn: Bool { state.withLock { $0.keepsScreenOn } }
    func keepScreenOn(_ on: Bool) { state.withLock { $0.keepsScreenOn = on } }
    func overlayGeometry(for format: FrameFormat) -> OverlayGeometry? {
        OverlayGeometry(size: size, format: format, gravity: gravity)
    }

    func prepare(_ frame: VideoFrame) {
        if drawingMilliseconds > 0 { usleep(drawingMilliseconds * 1000) }
        state.withLock {
            $0.calls.append(.prepare(frame.id))
            $0.preparedFrameID = frame.id
        }
    }

    func present() -> Int64? {
        state.withLock { $0.onPresent }?()
        return state.withLock { state in
            guard let id = state.preparedFrameID.take() else { return nil }
            state.calls.append(.present(id))
            return 1
        }
    }

    func showPlaceholder(_ text: String?) { state.withLock { $0.calls.append(.placeholder(text)) } }
    func showMessage(_ text: String?) { state.withLock { $0.calls.append(.message(text)) } }
    func close() { state.withLock { $0.calls.append(.close) } }
}

/// Creates grey frames of 16 x 16 samples.
struct TestFrames {
    let pool = FramePool()

    /// Returns a new frame with the number `id`, which is due at `id` x 40 ms.
    func frame(_ id: UInt64) throws -> VideoFrame {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: gray, width: 16, height: 16, planes: [.init(offset: 0, stride: 16)]))
        return VideoFrame(
            id: id, buffer: try pool.acquire(size: 256),
            format: FrameFormat(layout: layout, attributes: PictureAttributes()),
            presentationTime: Int64(id) * 40_000_000, duration: 40_000_000, streamTime: nil, generation: 0)
    }
}
