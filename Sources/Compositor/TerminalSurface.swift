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
    /// Whether the program waits for media.
    private var isBuffering = false
    /// The size of the picture's area that the program received most recently; `nil` before the first.
    private var reportedSize: PixelSize?
    let isReady = true, isExposed = false, drawsControls = true, showsLateFrames = false
    var content = SurfaceContent()

    init(_ window: TerminalWindow) { self.window = window }

    /// The terminal's descriptor to poll for writability; `nil` while no picture is being written.
    var blockedDescriptor: Int32? { window.blockedDescriptor }
    /// 0 if a converted picture must be written now; otherwise the host time of the next attempt to take the terminal's
    /// write lock, or `nil` if no attempt is planned.
    var nextTick: Int64? { isPainted ? 0 : window.nextTick }

    /// Opens the surface. Returns the size of the picture's area, for which the program draws overlays; `nil` if the
    /// program has not assigned any cells yet.
    func open(_ pictureSize: PixelSize, _ request: SurfaceOpenRequest) -> PixelSize? {
        isOpen = true
        reportedSize = window.pictureSize
        return reportedSize
    }

    func setBuffering(_ isBuffering: Bool, now: Int64) -> Bool {
        defer { self.isBuffering = isBuffering }
        return isBuffering != self.isBuffering
    }

    /// Converts a frame to terminal cells, which ``tick(now:)`` writes. Returns `nil`: the frame is not on screen yet.
    func show(_ picture: PictureMemory, format: FrameFormat, frameNumber: UInt64) -> Int64? {
        let overlay = content.overlay.map { overlay in
            TerminalRegionRenderer.Overlay(text: content.overlayText) { overlay.draw($0, $1, $2) }
        }
        window.show(picture, format, overlay: overlay, controls: controls, frameNumber: frameNumber)
        isPainted = true
        return nil
    }

    /// Writes the converted picture to the terminal. Returns the resulting events.
    func tick(now: Int64) -> [SurfaceEvent] {
        isPainted = false
        guard isOpen else { return [] }
        let events: [SurfaceEvent] =
            switch window.continueWriting(now: now) {
            case .idle: []
            case .needsPainting: [.needsRedraw]
            case .shown(let frame): [.shown(frame: frame)]
            case .lost(let reason): [.lost(reason)]
            }
        guard let size = window.pictureSize, size != reportedSize else { return events }
        reportedSize = size
        return [.resized(size)] + events
    }

    /// The state of the playback for the row below the picture.
    private var controls: TerminalControls {
        let playback = content.playback
        let hasDuration = playback.duration > 0
        return TerminalControls(
            state: isBuffering ? .buffering : playback.isPaused ? .paused : .playing,
            time: ControlsPainter.clockText(playback.position, duration: playback.duration),
            duration: hasDuration ? ControlsPainter.clockText(playback.duration, duration: playback.duration) : "",
            playedFraction: hasDuration ? Double(playback.position) / Double(playback.duration) : 0)
    }

    func close() {
        (isOpen, isPainted, isBuffering, reportedSize) = (false, false, false, nil)
        window.stop()
    }
}
