import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// A surface in character cells of a program's terminal.
final class TerminalSurface: FloatingSurface {
    /// Writes pictures into the terminal's cells.
    private let window: TerminalWindow
    private(set) var isOpen = false
    /// Whether a picture is painted into cells but not written to the terminal yet.
    private var isPainted = false
    let isReady = true, isExposed = false, drawsControls = false, showsLateFrames = false
    var content = SurfaceContent()

    init(_ window: TerminalWindow) { self.window = window }

    /// The terminal's descriptor to poll for writability; `nil` while no picture is being written.
    var blockedDescriptor: Int32? { window.blockedDescriptor }
    /// 0 if a converted picture must be written now; otherwise the host time of the next attempt to take the terminal's
    /// write lock, or `nil` if no attempt is planned.
    var nextTick: Int64? { isPainted ? 0 : window.nextTick }

    /// Opens the surface. Returns `nil`, because the program does not need the size of the picture.
    func open(_ pictureSize: PixelSize, _ request: SurfaceOpenRequest) -> PixelSize? {
        isOpen = true
        return nil
    }

    /// Converts a frame to terminal cells, which ``tick(now:)`` writes. Returns `nil`: the frame is not on screen yet.
    func show(_ picture: PictureMemory, format: FrameFormat, frameNumber: UInt64) -> Int64? {
        window.show(picture, format, frameNumber: frameNumber)
        isPainted = true
        return nil
    }

    /// Writes the converted picture to the terminal. Returns the resulting events.
    func tick(now: Int64) -> [SurfaceEvent] {
        isPainted = false
        guard isOpen else { return [] }
        return switch window.continueWriting(now: now) {
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
