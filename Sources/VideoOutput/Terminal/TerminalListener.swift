import SharedFrames
import SystemCalls

/// The event handler of a terminal output: it records the terminal's capabilities and publishes events. Called on the
/// threads that read from and write to the terminal.
final class TerminalListener: Sendable {
    /// The state that the reader's thread and the writer's thread share.
    private struct State {
        /// The terminal's capabilities, guessed or reported so far.
        var capabilities: TerminalCapabilities
        /// Whether events are published; false after ``stopPublishing()``.
        var publishesEvents = true
        /// Whether `.lost` was published.
        var isLost = false
    }

    /// The object that sets the terminal up and restores it.
    private let session: TerminalSession
    /// The object that draws on the terminal.
    private let writer: TerminalWriter
    /// The requested drawing mode.
    private let mode: TerminalMode
    /// The state that the reader's thread and the writer's thread share.
    private let state: Monitor<State>
    /// Receives the output's events, on the thread that detects them.
    private let onEvent: @Sendable (OutputEvent) -> Void

    /// Creates the listener with the capabilities guessed from the environment.
    init(
        session: TerminalSession, writer: TerminalWriter, mode: TerminalMode,
        onEvent: @escaping @Sendable (OutputEvent) -> Void
    ) {
        self.session = session
        self.writer = writer
        self.mode = mode
        self.onEvent = onEvent
        state = Monitor(State(capabilities: session.capabilities))
    }

    /// The terminal's capabilities, guessed or reported so far.
    var capabilities: TerminalCapabilities { state.withLock { $0.capabilities } }
    /// The current drawing mode; never ``TerminalMode/automatic``.
    var currentMode: TerminalMode { capabilities.resolve(mode) }

    /// The area for pictures. In symbols mode a cell has a width of 8 pixels and a height that follows from its aspect
    /// ratio; otherwise the size is in screen pixels.
    var size: PixelSize {
        let geometry = session.geometry
        guard currentMode == .symbols else { return geometry.pictureSize }
        let height = max(1, 8 * geometry.cellHeight / geometry.cellWidth)
        return PixelSize(width: geometry.columns * 8, height: geometry.pictureRows * height)
    }

    /// Stops publishing events.
    func stopPublishing() { state.withLock { $0.publishesEvents = false } }

    /// Publishes an event, unless ``stopPublishing()`` was called.
    func emit(_ event: OutputEvent) {
        if state.withLock({ $0.publishesEvents }) { onEvent(event) }
    }

    /// Publishes that the terminal is lost. Publishes the event only once, even if both threads detect the loss.
    func publishLoss(_ reason: String) {
        let isFirst = state.withLock { state in
            defer { state.isLost = true }
            return !state.isLost
        }
        if isFirst { emit(.lost(reason)) }
    }

    /// Handles a reply of the terminal, and requests a redraw if the reply changes the drawing mode.
    func handle(_ reply: TerminalReply) {
        let oldSize = size, oldMode = currentMode
        state.withLock { _ = $0.capabilities.handle(reply) }
        if case .cellSize(let width, let height) = reply, session.setCellSize(PixelSize(width: width, height: height)) {
            writer.invalidate(session.geometry)
        }
        if size != oldSize { emit(.resized(size)) }
        if currentMode != oldMode { emit(.redrawNeeded) }
    }

    /// Handles a change of the terminal's size.
    func handleResize() {
        guard session.refreshGeometry() else { return }
        writer.invalidate(session.geometry)
        emit(.resized(size))
        // A paused picture or a placeholder has no next frame that would fit the new size.
        emit(.redrawNeeded)
    }

    /// Pauses drawing on the terminal until ``resume()``.
    func pauseDrawing() { writer.pause() }

    /// Handles Ctrl-Z: restores the terminal and stops the process. Returns when the process continues.
    func suspend() {
        writer.pause()
        session.suspend()
        TerminalSignals.stopProcess()
    }

    /// Sets the terminal up again and requests a redraw.
    func resume() {
        writer.pause()
        session.resume()
        let isResized = session.refreshGeometry()
        writer.resume(session.geometry)
        if isResized { emit(.resized(size)) }
        emit(.redrawNeeded)
    }
}
