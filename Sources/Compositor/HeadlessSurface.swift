import SharedFrames
import SystemCalls

/// A surface without a display. Each frame counts as shown at once.
final class HeadlessSurface: FloatingSurface {
    private(set) var isOpen = false
    let isReady = true, isExposed = true, drawsControls = false, showsLateFrames = false
    let nextTick: Int64? = nil
    var content = FloatingContent()

    func open(_ picture: PixelSize, _ opening: FloatingOpening) -> PixelSize? {
        isOpen = true
        return nil
    }

    func show(_ picture: PictureMemory, format: FrameFormat, frame: UInt64) -> Int64? { MonotonicTime.now }
    func tick(now: Int64) -> [FloatingOutcome] { [] }
    func close() { isOpen = false }
}
