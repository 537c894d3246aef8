import SystemCalls

/// The event handler of a ``TerminalConsole``, called on the thread that reads from the terminal.
final class ConsoleListener: TerminalEventHandler {
    /// The sessions of the terminals from which keys are read and to which text is written; usually one.
    private let sessions: [TerminalSession]
    /// Writes text to the terminal; nil if text is not written to a terminal.
    private let writer: ConsoleWriter?
    /// Whether events are published; false after ``stopPublishing()``.
    private let publishesEvents = Monitor(true)
    /// Receives the console's events, on the thread that detects them.
    private let onEvent: @Sendable (OutputEvent) -> Void

    init(sessions: [TerminalSession], writer: ConsoleWriter?, onEvent: @escaping @Sendable (OutputEvent) -> Void) {
        self.sessions = sessions
        self.writer = writer
        self.onEvent = onEvent
    }

    var expectsReplies: Bool { false }

    /// Stops publishing events.
    func stopPublishing() { publishesEvents.withLock { $0 = false } }

    func emit(_ event: OutputEvent) { if publishesEvents.withLock({ $0 }) { onEvent(event) } }

    /// Ignores a reply, because a console sends no queries.
    func handle(_ reply: TerminalReply) {}

    func handleResize() {
        for session in sessions { _ = session.refreshGeometry() }
        writer?.redraw()
        emit(.redrawNeeded)
    }

    /// Does nothing: a status line that is drawn before ``resume()`` does no harm.
    func pauseDrawing() {}

    func suspend() {
        writer?.pause()
        for session in sessions { session.suspend() }
        writer?.resume()
        TerminalSignals.stopProcess()
    }

    func resume() {
        writer?.pause()
        for session in sessions {
            session.resume()
            _ = session.refreshGeometry()
        }
        writer?.resume()
        emit(.redrawNeeded)
    }

    /// Ignores the loss of the terminal: playback continues without it.
    func publishLoss(_ reason: String) {}
}
