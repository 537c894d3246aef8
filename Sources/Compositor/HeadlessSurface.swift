import SharedFrames
import SystemCalls

/// A surface that draws nothing: each frame counts as shown at once.
final class HeadlessSurface: FloatingSurface {
    private(set) var isOpen = false
    let isReady = true, isExposed = true, drawsControls = false, showsLateFrames = false
    /// Always `nil`, because the surface has no timed work.
    let nextTick: Int64? = nil
    var content = SurfaceContent()

    /// Opens the surface. Returns `nil`, because the program does not need the size of the picture.
    func open(_ pictureSize: PixelSize, _ request: SurfaceOpenRequest) -> PixelSize? {
        isOpen = true
        return nil
    }

    /// Returns the current host time, because each frame counts as shown at once.
    func show(_ picture: PictureMemory, format: FrameFormat, frameNumber: UInt64) -> Int64? { MonotonicTime.now }
    func tick(now: Int64) -> [SurfaceEvent] { [] }
    func close() { isOpen = false }
}
