import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// A surface in cells of a program's terminal.
final class TerminalSurface: FloatingSurface {
    private let window: TerminalWindow
    private(set) var isOpen = false
    /// A picture is painted but has not been written yet.
    private var isPainted = false
    let isReady = true, isExposed = false, drawsControls = false, showsLateFrames = false
    var content = FloatingContent()

    init(_ window: TerminalWindow) { self.window = window }

    var blockedDescriptor: Int32? { window.blockedDescriptor }
    var nextTick: Int64? { isPainted ? 0 : window.nextTick }

    func open(_ picture: PixelSize, _ opening: FloatingOpening) -> PixelSize? {
        isOpen = true
        return nil
    }

    func show(_ picture: PictureMemory, format: FrameFormat, frame: UInt64) -> Int64? {
        window.show(picture, format, frame: frame)
        isPainted = true
        return nil
    }

    func tick(now: Int64) -> [FloatingOutcome] {
        isPainted = false
        guard isOpen else { return [] }
        return switch window.proceed(now: now) {
        case .idle: []
        case .needsPainting: [.needsRedraw]
        case .shown(let frame): [.shown(frame: frame)]
        case .lost(let reason): [.lost(reason)]
        }
    }

    func close() {
        (isOpen, isPainted) = (false, false)
        window.stop()
    }
}
