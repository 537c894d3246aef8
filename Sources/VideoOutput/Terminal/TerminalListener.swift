import SharedFrames
import SystemCalls

/// What an output knows of its terminal and does when something happens to it. Called on the reader's and the writer's
/// thread.
final class TerminalListener: Sendable {
    private struct State {
        var abilities: TerminalAbilities
        var isOpen = true
        var isLost = false
    }

    private let session: TerminalSession
    private let writer: TerminalWriter
    private let mode: TerminalMode
    private let state: Monitor<State>
    private let onEvent: @Sendable (OutputEvent) -> Void

    init(
        session: TerminalSession, writer: TerminalWriter, mode: TerminalMode,
        onEvent: @escaping @Sendable (OutputEvent) -> Void
    ) {
        self.session = session
        self.writer = writer
        self.mode = mode
        self.onEvent = onEvent
        state = Monitor(State(abilities: session.abilities))
    }

    var abilities: TerminalAbilities { state.withLock { $0.abilities } }
    /// How pictures are drawn now; never automatic.
    var currentMode: TerminalMode { abilities.resolve(mode) }

    /// The area for pictures: in symbols mode 8 x 16 pixels a cell, stretched to the cell's real shape; else the
    /// screen's own pixels.
    var size: PixelSize {
        let geometry = session.geometry
        guard currentMode == .symbols else { return geometry.pictureSize }
        let height = max(1, 8 * geometry.cellHeight / geometry.cellWidth)
        return PixelSize(width: geometry.columns * 8, height: geometry.pictureRows * height)
    }

    /// No event after this one is passed on.
    func mute() { state.withLock { $0.isOpen = false } }

    func emit(_ event: OutputEvent) {
        if state.withLock({ $0.isOpen }) { onEvent(event) }
    }

    /// Passed on once, whichever thread found out first.
    func lose(_ reason: String) {
        let isFirst = state.withLock { state in
            defer { state.isLost = true }
            return !state.isLost
        }
        if isFirst { emit(.lost(reason)) }
    }

    /// Asks for the picture anew where an answer changed how it is drawn.
    func learn(_ answer: TerminalAnswer) {
        let before = size, modeBefore = currentMode
        state.withLock { _ = $0.abilities.learn(answer) }
        if case .cellSize(let width, let height) = answer, session.learn(cell: PixelSize(width: width, height: height))
        {
            writer.invalidate(session.geometry)
        }
        if size != before { emit(.resized(size)) }
        if currentMode != modeBefore { emit(.redrawNeeded) }
    }

    func resize() {
        guard session.refreshGeometry() else { return }
        writer.invalidate(session.geometry)
        emit(.resized(size))
        // Of a paused picture and a placeholder there is no next one that would fit.
        emit(.redrawNeeded)
    }

    /// Draws nothing until ``comeBack()``.
    func stepAside() { writer.pause() }

    /// Ctrl-Z: gives the terminal back and stops the process; returns when it goes on.
    func suspend() {
        writer.pause()
        session.suspend()
        TerminalSignals.stopProcess()
    }

    /// Takes the terminal again.
    func comeBack() {
        writer.pause()
        session.resume()
        let isResized = session.refreshGeometry()
        writer.resume(session.geometry)
        if isResized { emit(.resized(size)) }
        emit(.redrawNeeded)
    }
}
