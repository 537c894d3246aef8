import SystemCalls

/// The commands to the thread of a location, and its reports. Any thread; never waits.
final class SurfaceMailbox: Sendable {
    private struct State {
        var commands: [SurfaceCommand] = []
        /// The number of commands of each program that are not finished. Frames do not count: they are merged.
        var pending: [UInt64: Int] = [:]
        /// Programs that the main thread reads no more messages of until commands are finished.
        var held: Set<UInt64> = []
        /// The thread has commands that are not finished.
        var isBusy = false
        /// The number of times that all taken commands were finished.
        var progress: UInt64 = 0
        var reports: [SurfaceReport] = []
        /// Ends the connection to the display; nil: there is none yet.
        var interrupt: (@Sendable () -> Void)?
        var isEnding = false
        var isInterrupted = false
        var isOver = false
    }

    /// The number of commands of one program that may wait: its messages are not read while there are as many.
    static let pendingLimit = 64
    /// The number of reports that may wait: the main thread never does, so that more are a sign of an error.
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
                // Entries after the last announcement of the session need none of the announcements that follow.
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

    /// Returns whether a program has too many commands that are not finished. The main thread is woken when it has
    /// fewer.
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

    /// A number that changes while the thread finishes commands; nil: none are left.
    var progress: UInt64? { state.withLock { $0.isBusy ? $0.progress : nil } }

    /// Whether the thread has ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Has the thread end when it has finished its commands.
    func end() {
        state.withLock { $0.isEnding = true }
        wake.signal()
    }

    /// Has the thread end at once: a call that waits for the display fails.
    func interrupt() {
        state.withLock { state in
            (state.isEnding, state.isInterrupted) = (true, true)
            return state.interrupt
        }?()
        wake.signal()
    }

    // MARK: the thread of the location

    /// Readable when there are commands.
    var descriptor: Int32 { wake.raw }

    /// Sets what ends the connection to the display. Called at once when the thread is to end.
    func setInterrupt(_ interrupt: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            state.interrupt = interrupt
            return state.isInterrupted
        }
        if isInterrupted { interrupt() }
    }

    /// - Returns: nil when the thread is to end.
    func takeCommands() -> [SurfaceCommand]? {
        wake.drain()
        return state.withLock { state in
            if state.isInterrupted || state.isEnding && state.commands.isEmpty { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Notes that the commands that were taken are done.
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

    /// - Returns: false when there are too many reports.
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

    func noteEnd() {
        state.withLock { ($0.isOver, $0.interrupt) = (true, nil) }
        mainWake.signal()
    }
}
