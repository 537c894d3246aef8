import SystemCalls

/// The queues of commands to the thread of a location, and of its reports. Thread-safe; never waits.
final class SurfaceMailbox: Sendable {
    private struct State {
        var commands: [SurfaceCommand] = []
        /// The number of unfinished commands of each program. Frame commands do not count, because they are merged.
        var pending: [UInt64: Int] = [:]
        /// The programs whose messages the main thread does not read until commands are finished.
        var held: Set<UInt64> = []
        /// The thread has unfinished commands.
        var isBusy = false
        /// The number of finished batches of commands.
        var progress: UInt64 = 0
        var reports: [SurfaceReport] = []
        /// Closes the connection to the display; `nil` before it exists.
        var interrupt: (@Sendable () -> Void)?
        var isEnding = false
        var isInterrupted = false
        var isOver = false
    }

    /// The number of unfinished commands of one program from which on its messages are not read.
    static let pendingLimit = 64
    /// The largest number of pending reports. The main thread never waits, so more reports indicate an error.
    private static let reportLimit = 16_384

    private let state = Monitor(State())
    /// Wakes the thread of the location.
    private let wake: EventDescriptor
    /// Wakes the main thread.
    private let mainWake: EventDescriptor

    init(mainWake: EventDescriptor) throws(SystemCallError) {
        wake = try EventDescriptor()
        self.mainWake = mainWake
    }

    // MARK: the main thread

    func post(_ command: SurfaceCommand) {
        let isFirst = state.withLock { state in
            defer { state.isBusy = true }
            let wasEmpty = state.commands.isEmpty
            if case .frames(let session, _) = command {
                // If the session's last command is a frame command, too, the new one replaces it: no announcement
                // lies between the two.
                if let last = state.commands.lastIndex(where: { $0.session == session }),
                    case .frames = state.commands[last]
                {
                    state.commands[last] = command
                    return wasEmpty
                }
            } else {
                state.pending[command.session.key.client, default: 0] += 1
            }
            state.commands.append(command)
            return wasEmpty
        }
        if isFirst { wake.signal() }
    }

    /// Returns whether a program has too many unfinished commands. The main thread is woken when it has fewer.
    func isHeld(_ client: UInt64) -> Bool {
        state.withLock { state in
            guard state.pending[client, default: 0] >= Self.pendingLimit else { return false }
            state.held.insert(client)
            return true
        }
    }

    func takeReports() -> [SurfaceReport] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    /// A number that changes when the thread finishes commands; `nil` if it has no commands.
    var progress: UInt64? { state.withLock { $0.isBusy ? $0.progress : nil } }

    /// Whether the thread has ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Requests that the thread ends after its pending commands.
    func end() {
        state.withLock { $0.isEnding = true }
        wake.signal()
    }

    /// Requests that the thread ends at once. A call that waits for the display fails.
    func interrupt() {
        state.withLock { state in
            (state.isEnding, state.isInterrupted) = (true, true)
            return state.interrupt
        }?()
        wake.signal()
    }

    // MARK: the thread of the location

    /// The descriptor that becomes readable with commands.
    var descriptor: Int32 { wake.raw }

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
    /// - Returns: The commands; `nil` if the thread must end.
    func takeCommands() -> [SurfaceCommand]? {
        wake.drain()
        return state.withLock { state in
            if state.isInterrupted || state.isEnding && state.commands.isEmpty { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Notes that the taken commands are finished.
    func finish(_ commands: [SurfaceCommand]) {
        guard !commands.isEmpty else { return }
        let isAwaited = state.withLock { state in
            for command in commands {
                if case .frames = command { continue }
                let client = command.session.key.client
                let rest = state.pending[client, default: 1] - 1
                state.pending[client] = rest > 0 ? rest : nil
            }
            state.progress &+= 1
            state.isBusy = !state.commands.isEmpty
            let isAwaited = state.held.contains { state.pending[$0, default: 0] < Self.pendingLimit }
            if isAwaited { state.held = [] }
            return isAwaited
        }
        if isAwaited { mainWake.signal() }
    }

    /// Enqueues a report for the main thread.
    ///
    /// - Returns: False if there are too many reports.
    @discardableResult
    func report(_ report: SurfaceReport) -> Bool {
        let isTaken = state.withLock { state in
            guard state.reports.count < Self.reportLimit else { return false }
            state.reports.append(report)
            return true
        }
        mainWake.signal()
        return isTaken
    }

    /// Notes that the thread has ended.
    func noteEnd() {
        state.withLock { ($0.isOver, $0.interrupt) = (true, nil) }
        mainWake.signal()
    }
}
