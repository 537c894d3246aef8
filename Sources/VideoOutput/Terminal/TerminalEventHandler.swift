import SystemCalls

/// The handler of the events that a ``TerminalReader`` detects. The reader's thread calls it.
protocol TerminalEventHandler: Sendable {
    /// Whether replies of the terminal to queries may still arrive.
    var expectsReplies: Bool { get }
    /// Publishes an event, such as a key.
    func emit(_ event: OutputEvent)
    /// Handles a reply of the terminal.
    func handle(_ reply: TerminalReply)
    /// Handles a change of the terminal's size.
    func handleResize()
    /// Pauses drawing on the terminal until ``resume()``.
    func pauseDrawing()
    /// Handles Ctrl-Z: restores the terminal and stops the process. Returns when the process continues.
    func suspend()
    /// Sets the terminal up again, because the process is in the foreground again.
    func resume()
    /// Handles the loss of the terminal. The reader ends after this call.
    func publishLoss(_ reason: String)
}
