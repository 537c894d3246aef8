import Glibc
import SharedFrames
import SystemCalls

/// The event handler of a terminal output: it records the terminal's capabilities and publishes events. Called on the
/// threads that read from and write to the terminal.
final class TerminalListener: TerminalEventHandler {
    /// The state that the reader's thread and the writer's thread share.
    private struct State {
        /// The terminal's capabilities, guessed or reported so far.
        var capabilities: TerminalCapabilities
        /// Whether the terminal has replied to the last query, and therefore to all queries that it supports.
        var hasReplied = false
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

    /// The host time until which a reply may arrive.
    private let replyDeadline: Int64

    /// The time in nanoseconds for which ``waitForReplies()`` waits.
    static let replyWaitTime: Int64 = 200_000_000
    /// The time in nanoseconds for which replies are expected after the queries, for example over a slow network.
    private static let replyExpectationTime: Int64 = 2_000_000_000

    /// Creates the listener with the capabilities guessed from the environment.
    init(
        session: TerminalSession, writer: TerminalWriter, mode: TerminalMode,
        onEvent: @escaping @Sendable (OutputEvent) -> Void
    ) {
        self.session = session
        self.writer = writer
        self.mode = mode
        self.onEvent = onEvent
        var capabilities = session.capabilities
        if mode == .halfBlocks { capabilities.chooseHalfBlocks(.direct) }
        if mode == .halfBlocks256 { capabilities.chooseHalfBlocks(.indexed256) }
        state = Monitor(State(capabilities: capabilities, hasReplied: capabilities.queries.isEmpty))
        replyDeadline = MonotonicTime.now + Self.replyExpectationTime
        writer.setCornerStyle(TerminalPictureStyle(capabilities, mode: mode))
    }

    /// Waits until the terminal has replied to all queries, but for at most ``replyWaitTime``. Later replies are
    /// handled when they arrive.
    func waitForReplies() {
        _ = state.wait(until: MonotonicTime.now + Self.replyWaitTime) { $0.hasReplied ? true : nil }
    }

    /// Whether replies to the queries may still arrive.
    var expectsReplies: Bool { !state.withLock { $0.hasReplied } && MonotonicTime.now < replyDeadline }

    /// The terminal's capabilities, guessed or reported so far.
    var capabilities: TerminalCapabilities { state.withLock { $0.capabilities } }
    /// The current drawing mode; never ``TerminalMode/automatic``.
    var currentMode: TerminalMode { capabilities.resolve(mode) }

    /// The message for the user if characters replace the images that the user has requested; nil if they do not.
    var imageObstacle: String? {
        guard mode == .sixel || mode == .kitty, currentMode == .symbols else { return nil }
        return "the terminal multiplexer shows no images; in tmux, run: tmux set -p allow-passthrough on"
    }

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
        let oldSize = size, oldCapabilities = capabilities
        state.withLock { _ = $0.capabilities.handle(reply) }
        writer.setCornerStyle(TerminalPictureStyle(capabilities, mode: mode))
        if case .cellSize(let width, let height) = reply, session.setCellSize(PixelSize(width: width, height: height)) {
            writer.invalidate(session.geometry)
        }
        if size != oldSize { emit(.resized(size)) }
        if capabilities.resolve(mode) != oldCapabilities.resolve(mode)
            || capabilities.colours != oldCapabilities.colours
        {
            emit(.redrawNeeded)
        }
        // Publish the events above before the waiting thread continues, which draws the first picture.
        if case .attributes = reply { state.update { $0.hasReplied = true } }
    }

    /// Handles a change of the terminal's size.
    func handleResize() {
        guard session.refreshGeometry() else { return }
        refreshPassthrough()
        writer.invalidate(session.geometry)
        emit(.resized(size))
        // A paused picture or a placeholder has no next frame that would fit the new size.
        emit(.redrawNeeded)
    }

    /// Reads the position of the pane again, in which tmux shows this program.
    private func refreshPassthrough() {
        guard capabilities.passthrough?.multiplexer == .tmux,
            let passthrough = TerminalPassthrough.detect(environment: { getenv($0).map { String(cString: $0) } })
        else { return }
        state.withLock { $0.capabilities.passthrough = passthrough }
        writer.setCornerStyle(TerminalPictureStyle(capabilities, mode: mode))
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
