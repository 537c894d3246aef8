import SystemCalls

/// The queues of commands to the drawing thread of one display, and of that thread's reports to the main thread.
/// Thread-safe; never waits.
final class SurfaceMailbox: Sendable {
    /// The queues of commands and reports, and the state of the drawing thread.
    private struct State {
        /// The commands that the drawing thread has not taken yet.
        var commands: [SurfaceCommand] = []
        /// The number of unfinished commands of each program. Frame commands do not count, because they are merged.
        var pendingCommandCounts: [UInt64: Int] = [:]
        /// The programs whose messages the main thread does not read until commands of these programs are finished.
        var pausedPrograms: Set<UInt64> = []
        /// Whether the drawing thread has unfinished commands.
        var isBusy = false
        /// The number of finished batches of commands.
        var progress: UInt64 = 0
        /// The reports that the main thread has not taken yet.
        var reports: [SurfaceThreadEvent] = []
        /// Closes the connection to the display; `nil` before it exists.
        var interrupt: (@Sendable () -> Void)?
        /// Whether the drawing thread must end after the pending commands.
        var isEnding = false
        /// Whether the drawing thread must end at once.
        var isInterrupted = false
        /// Whether the drawing thread has ended.
        var hasEnded = false
    }

    /// The number of unfinished commands of one program at which the main thread stops reading that program's messages.
    static let pendingCommandLimit = 64
    /// The largest number of pending reports. The main thread takes reports quickly, so more of them indicate an error.
    private static let reportLimit = 16_384

    /// The state that the main thread and the drawing thread share.
    private let state = Monitor(State())
    /// The event descriptor that wakes the drawing thread.
    private let drawingThreadEvent: EventDescriptor
    /// The event descriptor that wakes the main thread.
    private let mainThreadEvent: EventDescriptor

    /// Creates empty queues; `mainThreadEvent` wakes the main thread.
    init(mainThreadEvent: EventDescriptor) throws(SystemCallError) {
        drawingThreadEvent = try EventDescriptor()
        self.mainThreadEvent = mainThreadEvent
    }

    // MARK: For the main thread

    /// Enqueues a command and wakes the drawing thread.
    func post(_ command: SurfaceCommand) {
        let isFirstCommand = state.withLock { state in
            defer { state.isBusy = true }
            let wasEmpty = state.commands.isEmpty
            if case .readFrames(let session, _) = command {
                // A new frame command replaces the session's last command if that is a frame command, too: no
                // announcement of a frame buffer or format lies between the two.
                if let lastIndex = state.commands.lastIndex(where: { $0.session == session }),
                    case .readFrames = state.commands[lastIndex]
                {
                    state.commands[lastIndex] = command
                    return wasEmpty
                }
            } else {
                state.pendingCommandCounts[command.session.key.client, default: 0] += 1
            }
            state.commands.append(command)
            return wasEmpty
        }
        if isFirstCommand { drawingThreadEvent.signal() }
    }

    /// Returns whether a program has too many unfinished commands, so that its messages must not be read. The main
    /// thread is woken when the program has fewer.
    func isReadingPaused(_ client: UInt64) -> Bool {
        state.withLock { state in
            guard state.pendingCommandCounts[client, default: 0] >= Self.pendingCommandLimit else { return false }
            state.pausedPrograms.insert(client)
            return true
        }
    }

    /// Removes and returns the drawing thread's reports that have arrived.
    func takeReports() -> [SurfaceThreadEvent] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    /// A number that changes when the drawing thread finishes commands; `nil` if it has no commands.
    var progress: UInt64? { state.withLock { $0.isBusy ? $0.progress : nil } }

    /// Whether the drawing thread has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Requests that the drawing thread ends after its pending commands.
    func end() {
        state.withLock { $0.isEnding = true }
        drawingThreadEvent.signal()
    }

    /// Requests that the drawing thread ends at once. A function that waits for the display server then fails.
    func interrupt() {
        state.withLock { state in
            (state.isEnding, state.isInterrupted) = (true, true)
            return state.interrupt
        }?()
        drawingThreadEvent.signal()
    }

    // MARK: For the drawing thread

    /// The descriptor that becomes readable when the drawing thread has new commands.
    var descriptor: Int32 { drawingThreadEvent.raw }

    /// Sets the closure that closes the connection to the display.
    ///
    /// - Parameter interrupt: Called on any thread; called at once if an interrupt was already requested.
    func setInterrupt(_ interrupt: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            state.interrupt = interrupt
            return state.isInterrupted
        }
        if isInterrupted { interrupt() }
    }

    /// Removes and returns the pending commands.
    ///
    /// - Returns: The commands; `nil` if the drawing thread must end.
    func takeCommands() -> [SurfaceCommand]? {
        drawingThreadEvent.drain()
        return state.withLock { state in
            if state.isInterrupted || state.isEnding && state.commands.isEmpty { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Records that the commands from ``takeCommands()`` are finished.
    func markFinished(_ commands: [SurfaceCommand]) {
        guard !commands.isEmpty else { return }
        let isAwaited = state.withLock { state in
            for command in commands {
                if case .readFrames = command { continue }
                let client = command.session.key.client
                let remainingCount = state.pendingCommandCounts[client, default: 1] - 1
                state.pendingCommandCounts[client] = remainingCount > 0 ? remainingCount : nil
            }
            state.progress &+= 1
            state.isBusy = !state.commands.isEmpty
            let isAwaited = state.pausedPrograms.contains {
                state.pendingCommandCounts[$0, default: 0] < Self.pendingCommandLimit
            }
            if isAwaited { state.pausedPrograms = [] }
            return isAwaited
        }
        if isAwaited { mainThreadEvent.signal() }
    }

    /// Enqueues a report for the main thread.
    ///
    /// - Returns: False if the report was dropped because too many reports are pending.
    @discardableResult
    func report(_ report: SurfaceThreadEvent) -> Bool {
        let isEnqueued = state.withLock { state in
            guard state.reports.count < Self.reportLimit else { return false }
            state.reports.append(report)
            return true
        }
        mainThreadEvent.signal()
        return isEnqueued
    }

    /// Records that the drawing thread has ended.
    func markEnded() {
        state.withLock { ($0.hasEnded, $0.interrupt) = (true, nil) }
        mainThreadEvent.signal()
    }
}
