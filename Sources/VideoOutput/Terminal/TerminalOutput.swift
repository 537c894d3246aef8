import SharedFrames
import SystemCalls

/// Shows pictures in a terminal: `--vo=terminal`.
///
/// ``present()`` hands the picture to a writer's thread and returns: a terminal that is slow or stands still costs
/// pictures, never time. Events come on the output's own threads until ``close()`` has returned.
package final class TerminalOutput: CornerOutput {
    private struct State {
        var gravity = VideoGravity.resizeAspect
        var prepared: TerminalContent?
        var isClosed = false
        var overlay: OverlayPicture?
        /// Size of the picture that another process draws in a corner.
        var corner: PixelSize?
        var corners = 0
    }

    private let session: TerminalSession
    private let state = Monitor(State())
    private let painter: Monitor<TerminalPainter>
    private let writer: TerminalWriter
    private let reader: TerminalReader
    private let listener: TerminalListener

    package var name: String { "terminal" }
    package var cornerOutput: (any CornerOutput)? { self }

    /// In symbols mode 8 pixels a cell across, and down what the cell's shape makes of them: about what symbols can
    /// show. Otherwise the screen's own pixels.
    package var size: PixelSize { listener.size }

    package var gravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { state.withLock { $0.gravity = newValue } }
    }

    /// How pictures are drawn now; never automatic. Changes when the terminal has answered.
    package var currentMode: TerminalMode { listener.currentMode }

    /// Where another process draws nothing goes over the cells but cells.
    private var mode: TerminalMode { writer.hasCorner ? .symbols : currentMode }

    /// What became of the pictures so far.
    package var statistics: TerminalStatistics { writer.statistics }

    /// Starts drawing on a session, which is closed with this output.
    package init(
        terminal session: TerminalSession, mode: TerminalMode = .automatic, detail: TerminalDetail = .quick,
        onEvent: @escaping @Sendable (OutputEvent) -> Void
    ) throws(SystemCallError) {
        let writer = try TerminalWriter(session: session)
        let listener = TerminalListener(session: session, writer: writer, mode: mode, onEvent: onEvent)
        self.session = session
        self.writer = writer
        self.listener = listener
        painter = Monitor(TerminalPainter(detail: detail))
        reader = try TerminalReader(session: session, listener: listener)
        try writer.start { listener.lose($0) }
        do {
            try reader.start()
        } catch {
            writer.stop()
            throw error
        }
    }

    deinit { close() }

    /// Scales the frame and turns it into characters or an image. A format that cannot be converted is passed over.
    package func prepare(_ frame: VideoFrame) {
        let geometry = session.geometry, abilities = listener.abilities, mode = mode
        let (gravity, overlay) = state.withLock { ($0.gravity, $0.overlay) }
        let content = painter.withLock {
            $0.paint(frame, overlay: overlay, geometry: geometry, abilities: abilities, mode: mode, gravity: gravity)
        }
        state.withLock { $0.prepared = content }
    }

    package func setOverlay(_ overlay: OverlayPicture?) { state.withLock { $0.overlay = overlay } }

    package func overlayPlace(for format: FrameFormat) -> OverlayPlace? {
        let geometry = session.geometry
        let size = TerminalPainter.samples(geometry.place(format, gravity: gravity).cells, geometry, mode)
        return OverlayPlace(
            size: size, picture: PixelRect(x: 0, y: 0, width: size.width, height: size.height),
            video: format.orientedSize)
    }

    @discardableResult
    package func present() -> Int64? {
        let content: TerminalContent? = state.withLock { $0.isClosed ? nil : $0.prepared.take() }
        guard let content else { return nil }
        writer.show(content)
        return MonotonicTime.now
    }

    package func showPlaceholder(_ text: String?) {
        let geometry = session.geometry
        var grid = CellGrid(columns: geometry.columns, rows: geometry.pictureRows, colours: listener.abilities.colours)
        let corner = state.withLock { $0.corner }.flatMap { TerminalCorner.cells(of: geometry, picture: $0) }
        if let text { grid.centre(text, above: corner) }
        state.withLock { $0.prepared = nil }
        writer.show(.cells(grid))
    }

    /// Leaves a corner to the other process of the session's share, and draws around it until ``closeCorner()``.
    ///
    /// - Parameters:
    ///   - picture: the size in which it is meant to be seen.
    ///   - onGiven: called on a thread of ours when the other may draw, and each time that all of the corner has to be
    ///     drawn anew.
    /// - Returns: false when the terminal is too small, or shared with nobody.
    package func openCorner(for picture: PixelSize, onGiven: @escaping @Sendable () -> Void) -> Bool {
        guard session.share != nil, TerminalCorner.cells(of: session.geometry, picture: picture) != nil else {
            return false
        }
        let number = state.withLock { state in
            state.corner = picture
            state.corners += 1
            return state.corners
        }
        writer.open(TerminalWriter.Corner(picture: picture, number: number, onGiven: onGiven))
        return true
    }

    /// The corner is ours again, with the next picture, or with ``settle()`` where none follows at once. Idempotent.
    package func closeCorner() {
        state.withLock { $0.corner = nil }
        writer.closeCorner()
    }

    /// See ``closeCorner()``.
    package func settle() { writer.settle() }

    package func showMessage(_ text: String?) { writer.show(message: TerminalText.sanitised(text ?? "")) }

    /// The title of the terminal's window; the user's own comes back at the end.
    package func setTitle(_ text: String) { writer.show(title: text) }

    package func close() {
        guard
            !state.withLock({ state in
                defer { state.isClosed = true }
                return state.isClosed
            })
        else { return }
        listener.mute()
        reader.stop()
        writer.stop()
        session.close()
    }
}
