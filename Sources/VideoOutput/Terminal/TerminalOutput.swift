import SharedFrames
import SystemCalls

/// An output that shows pictures in a terminal (`--vo=terminal`).
///
/// ``present()`` passes the picture to the writer's thread and returns: a slow terminal drops pictures and does not
/// delay the caller. The output's own threads publish events until ``close()`` returns.
package final class TerminalOutput: CornerOutput {
    /// The state that several threads share.
    private struct State {
        var gravity = VideoGravity.resizeAspect
        /// The picture that the next ``present()`` shows.
        var preparedContent: TerminalContent?
        var isClosed = false
        /// The overlay that is drawn over the next pictures.
        var overlay: OverlayPicture?
        /// The size of the picture that another process draws in a corner; nil without a corner.
        var cornerPictureSize: PixelSize?
        /// The number of corners opened so far, which is also the number of the newest corner; 0 before the first.
        var cornerCount = 0
    }

    /// The object that sets the terminal up and restores it.
    private let session: TerminalSession
    /// The state that several threads share, protected by a lock.
    private let state = Monitor(State())
    /// Converts frames to characters or images.
    private let painter: Monitor<TerminalPainter>
    /// Draws on the terminal, on its own thread.
    private let writer: TerminalWriter
    /// Reads the keys and the terminal's replies, on its own thread.
    private let reader: TerminalReader
    /// Handles replies and events of the terminal.
    private let listener: TerminalListener

    package var name: String { "terminal" }
    package var cornerOutput: (any CornerOutput)? { self }

    /// The area for pictures. In symbols mode a cell is 8 pixels wide and as high as its aspect ratio requires, about
    /// the resolution of symbols. Otherwise the size is in screen pixels.
    package var size: PixelSize { listener.size }

    package var drawsCharacters: Bool { mode.drawsCharacters }

    package var gravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set { state.withLock { $0.gravity = newValue } }
    }

    /// The current drawing mode; never ``TerminalMode/automatic``. It may change when the terminal replies to queries.
    package var currentMode: TerminalMode { listener.currentMode }

    /// The drawing mode of the next picture. While another process draws a corner, only character cells are possible:
    /// an image would cover the corner.
    private var mode: TerminalMode { writer.hasCorner ? .symbols : currentMode }

    /// Counters of the pictures drawn and dropped so far.
    package var statistics: TerminalStatistics { writer.statistics }

    /// Starts drawing on the session's terminal, and waits for up to 200 ms until the terminal has replied to queries.
    /// ``close()`` also closes the session.
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
        try writer.start { listener.publishLoss($0) }
        do {
            try reader.start()
        } catch {
            writer.stop()
            throw error
        }
        listener.waitForReplies()
        if let reason = listener.imageObstacle { writer.show(message: reason) }
    }

    deinit { close() }

    /// Scales the frame and converts it to characters or an image. A frame whose format cannot be converted is skipped.
    package func prepare(_ frame: VideoFrame) {
        let geometry = session.geometry, capabilities = listener.capabilities, mode = mode
        let (gravity, overlay) = state.withLock { ($0.gravity, $0.overlay) }
        let content = painter.withLock {
            $0.paint(
                frame, overlay: overlay, geometry: geometry, capabilities: capabilities, mode: mode, gravity: gravity)
        }
        state.withLock { $0.preparedContent = content }
    }

    package func setOverlay(_ overlay: OverlayPicture?) { state.withLock { $0.overlay = overlay } }

    package func overlayGeometry(for format: FrameFormat) -> OverlayGeometry? {
        let geometry = session.geometry
        let mode = mode, maximumSize = listener.capabilities.maximumImageSize(mode, geometry)
        let cells = geometry.pictureArea(for: format, gravity: gravity, maximumSize: maximumSize).cells
        let size = TerminalPainter.sizeInSamples(cells, geometry, mode)
        return OverlayGeometry(
            windowSize: size, pictureRect: PixelRect(x: 0, y: 0, width: size.width, height: size.height),
            videoSize: format.orientedSize)
    }

    @discardableResult
    package func present() -> Int64? {
        let content: TerminalContent? = state.withLock { $0.isClosed ? nil : $0.preparedContent.take() }
        guard let content else { return nil }
        writer.show(content)
        return MonotonicTime.now
    }

    package func showPlaceholder(_ text: String?) {
        let geometry = session.geometry
        var grid = CellGrid(
            columns: geometry.columns, rows: geometry.pictureRows, colours: listener.capabilities.colours)
        let corner = state.withLock { $0.cornerPictureSize }.flatMap { TerminalCorner.cells(of: geometry, picture: $0) }
        if let text { grid.writeCentred(text, above: corner) }
        state.withLock { $0.preparedContent = nil }
        writer.show(.cells(grid))
    }

    /// Reserves a corner for the compositor, with which the session shares its terminal, and draws only around the
    /// corner until ``closeCorner()``.
    ///
    /// - Parameters:
    ///   - picture: The intended size of the picture.
    ///   - onDrawingAllowed: Called on a thread of this output when the compositor may draw, and whenever it must
    ///     redraw the whole corner.
    /// - Returns: False if the terminal is too small or not shared.
    package func openCorner(for picture: PixelSize, onDrawingAllowed: @escaping @Sendable () -> Void) -> Bool {
        guard session.sharedMemory != nil, TerminalCorner.cells(of: session.geometry, picture: picture) != nil else {
            return false
        }
        let cornerNumber = state.withLock { state in
            state.cornerPictureSize = picture
            state.cornerCount += 1
            return state.cornerCount
        }
        writer.open(TerminalWriter.Corner(picture: picture, number: cornerNumber, onDrawingAllowed: onDrawingAllowed))
        return true
    }

    /// Takes the corner back from the compositor as soon as the next picture is drawn, or at ``redrawCorner()`` if no
    /// picture follows. Further calls of this method have no effect.
    package func closeCorner() {
        state.withLock { $0.cornerPictureSize = nil }
        writer.closeCorner()
    }

    /// Redraws the cells that the compositor used until ``closeCorner()``, unless a picture was drawn since then.
    package func redrawCorner() { writer.redrawCorner() }

    package func showMessage(_ text: String?) { writer.show(message: TerminalText.sanitised(text ?? "")) }

    /// Sets the title of the terminal's window. ``close()`` restores the user's title.
    package func setTitle(_ text: String) { writer.show(title: text) }

    package func close() {
        guard
            !state.withLock({ state in
                defer { state.isClosed = true }
                return state.isClosed
            })
        else { return }
        listener.stopPublishing()
        reader.stop()
        writer.stop()
        session.close()
    }
}
