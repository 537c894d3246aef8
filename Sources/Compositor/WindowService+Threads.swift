import CompositorProtocol
import SystemCalls
import WireFormat

/// The drawing threads and the handling of their reports.
extension WindowService {
    /// The result of the search for a location's drawing thread.
    enum ThreadLookup {
        /// The location's thread, which existed or was started.
        case found(SurfaceThread)
        /// No thread, because of a limit or an error; the reason is text for the user.
        case refused(reason: String)
    }

    /// The largest number of displays to which one process may be connecting at the same time.
    private static let pendingDisplayLimit = 4
    /// The largest number of displays to which all processes of other PID namespaces together may be connecting at the
    /// same time. The kernel reports the process ID 0 for each of these processes.
    private static let pendingDisplayLimitOfForeignProcesses = 16
    /// The largest number of drawing threads.
    private static let threadLimit = 160

    /// Returns the drawing thread of a location; starts a thread if the location has none, unless a limit is reached.
    func findThread(_ location: SurfaceLocation, for program: ProgramRegistry.Program) -> ThreadLookup {
        if let existingThread = threads[location] { return .found(existingThread) }
        let limit = program.processID == 0 ? Self.pendingDisplayLimitOfForeignProcesses : Self.pendingDisplayLimit
        let allThreads = threads.values + endingThreads
        guard allThreads.count(where: { !$0.isConnected && $0.creatorProcessID == program.processID }) < limit else {
            return .refused(reason: "the program waits for too many X displays")
        }
        guard allThreads.count < Self.threadLimit else { return .refused(reason: "too many X displays are in use") }
        do throws(SystemCallError) {
            let newThread = try SurfaceThread(
                location, creatorProcessID: program.processID, mainThreadEvent: reportEvent, logger: logger)
            threads[location] = newThread
            return .found(newThread)
        } catch { return .refused(reason: "the X display cannot be opened: \(error)") }
    }

    /// Ends the drawing threads whose locations have no session.
    func endUnusedThreads() {
        let usedLocations = Set(sessions.values.map(\.thread.location))
        for (location, thread) in threads where !usedLocations.contains(location) {
            threads[location] = nil
            thread.end(now: MonotonicTime.now)
            endingThreads.append(thread)
        }
    }

    /// Handles the reports of all drawing threads, and fails the sessions of threads that have stalled.
    func takeReports(now: Int64) {
        for thread in threads.values {
            for report in thread.mailbox.takeReports() { handle(report, of: thread) }
            guard thread.hasStalled(now: now), threads[thread.location] === thread else { continue }
            failSessions(
                thread, thread.isConnected ? "the connection to the X server was lost" : stallReason(thread.location))
        }
    }

    /// Returns the reason, for the user, why sessions of a stalled location fail.
    private func stallReason(_ location: SurfaceLocation) -> String {
        guard case .display(let name, _) = location else { return "the compositor's drawing thread has stalled" }
        return "the X display \(name) does not answer"
    }

    /// Handles a report of a drawing thread.
    private func handle(_ report: SurfaceThreadEvent, of thread: SurfaceThread) {
        switch report {
        case .connected: thread.isConnected = true
        case .lost(let reason): if threads[thread.location] === thread { failSessions(thread, reason) }
        case .message(let handle, let message): if let session = findSession(handle) { forward(message, of: session) }
        case .startRequested(let handle):
            guard findSession(handle) != nil else { return }
            guard !isSuspended else { return refuseStart(handle.key, Self.videoCallReason) }
            perform(arbiter.request(handle.key, now: MonotonicTime.now))
        case .needsFrames(let handle): findSession(handle)?.frameRingWatcher.isCheckNeeded = true
        case .windowClosed(let handle): if findSession(handle) != nil { perform(arbiter.releaseWindow(of: handle.key)) }
        case .sessionLost(let handle):
            guard findSession(handle) != nil else { return }
            removeSession(handle.key)
            perform(arbiter.releaseWindow(of: handle.key))
            endUnusedThreads()
        case .protocolViolation(let handle, let error):
            if findSession(handle) != nil { onProgramEffect(.disconnect(client: handle.key.client, error)) }
        }
    }

    /// Returns the open session with a handle; `nil` if it has ended.
    private func findSession(_ handle: SessionHandle) -> Session? {
        guard let session = sessions[handle.key], session.handle == handle else { return nil }
        return session
    }

    /// Sends a drawing thread's message to the session's program, and records its effect on the session.
    private func forward(_ message: ServerMessage, of session: Session) {
        let key = session.handle.key
        switch message {
        case .sessionOpened:
            session.isOpen = true
            // Send `suspended` before `sessionOpened`, so that Picture-in-Picture never appears possible to the program
            // during a video call.
            if isSuspended { notifySuspended(session) }
        case .stopped: session.unansweredStopCount = max(0, session.unansweredStopCount - 1)
        case .action(_, let action): return onProgramEffect(.action(key, action))
        default: break
        }
        send(message, to: key)
    }

    /// Fails all sessions of a drawing thread whose display connection is lost.
    private func failSessions(_ thread: SurfaceThread, _ reason: String) {
        logger.warning("lost a display", metadata: ["reason": "\(reason)"])
        threads[thread.location] = nil
        thread.interrupt()
        endingThreads.append(thread)
        let lostSessions = sessions.values.filter { $0.thread === thread }
        for session in lostSessions.sorted(by: { $0.handle.serialNumber < $1.handle.serialNumber }) {
            let key = session.handle.key
            removeSession(key)
            send(.sessionFailed(session: key.session, reason: reason), to: key)
            // Each `stop` message of the program must be answered.
            for _ in 0..<session.unansweredStopCount { send(.stopped(session: key.session), to: key) }
            perform(arbiter.releaseWindow(of: key))
        }
    }
}
