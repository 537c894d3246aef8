import CompositorProtocol
import SystemCalls
import WireFormat

/// The drawing threads and the handling of their reports.
extension WindowService {
    enum ThreadLookup {
        case found(SurfaceThread)
        case refused(reason: String)
    }

    /// The largest number of displays to which one process may be connecting at the same time.
    private static let openingLimit = 4
    /// The same limit for all processes of other PID namespaces together: the kernel reports the ID 0 for each of them.
    private static let openingLimitOfForeignProcesses = 16
    private static let threadLimit = 160

    /// Returns the thread of a location; starts it if there is none.
    func findThread(_ location: SurfaceLocation, for program: ProgramRegistry.Program) -> ThreadLookup {
        if let known = threads[location] { return .found(known) }
        let limit = program.processID == 0 ? Self.openingLimitOfForeignProcesses : Self.openingLimit
        let all = threads.values + endingThreads
        guard all.count(where: { !$0.isConnected && $0.creator == program.processID }) < limit else {
            return .refused(reason: "the program waits for too many X displays")
        }
        guard all.count < Self.threadLimit else { return .refused(reason: "too many X displays are in use") }
        do throws(SystemCallError) {
            let made = try SurfaceThread(location, creator: program.processID, mainWake: wake, logger: logger)
            threads[location] = made
            return .found(made)
        } catch { return .refused(reason: "the X display cannot be opened: \(error)") }
    }

    func endUnusedThreads() {
        let used = Set(sessions.values.map(\.thread.location))
        for (location, thread) in threads where !used.contains(location) {
            threads[location] = nil
            thread.end(now: MonotonicTime.now)
            endingThreads.append(thread)
        }
    }

    /// Handles the reports of all threads, and abandons threads that have stalled.
    func takeReports(now: Int64) {
        for thread in threads.values {
            for report in thread.mailbox.takeReports() { handle(report, of: thread) }
            guard thread.hasStalled(now: now), threads[thread.location] === thread else { continue }
            lose(thread, thread.isConnected ? "the connection to the X server was lost" : unanswered(thread.location))
        }
    }

    private func unanswered(_ location: SurfaceLocation) -> String {
        guard case .display(let name, _) = location else { return "the compositor's drawing thread has stalled" }
        return "the X display \(name) does not answer"
    }

    private func handle(_ report: SurfaceReport, of thread: SurfaceThread) {
        switch report {
        case .connected: thread.isConnected = true
        case .lost(let reason): if threads[thread.location] === thread { lose(thread, reason) }
        case .message(let handle, let message): if let session = find(handle) { forward(message, of: session) }
        case .startRequested(let handle):
            guard find(handle) != nil else { return }
            guard !isSuspended else { return refuseStart(handle.key, Self.videoCall) }
            perform(arbiter.request(handle.key, now: MonotonicTime.now))
        case .needsFrames(let handle): find(handle)?.feed.isUnread = true
        case .windowClosed(let handle): if find(handle) != nil { perform(arbiter.ended(handle.key)) }
        case .sessionLost(let handle):
            guard find(handle) != nil else { return }
            removeSession(handle.key)
            perform(arbiter.ended(handle.key))
            endUnusedThreads()
        case .breach(let handle, let error): if find(handle) != nil { onOutput(.cut(client: handle.key.client, error)) }
        }
    }

    private func find(_ handle: SessionHandle) -> Session? {
        guard let session = sessions[handle.key], session.handle == handle else { return nil }
        return session
    }

    private func forward(_ message: ServerMessage, of session: Session) {
        let key = session.handle.key
        switch message {
        case .sessionOpened:
            session.isOpen = true
            // Send this before `sessionOpened`, so that Picture-in-Picture never appears possible to the program during
            // a video call.
            if isSuspended { tellSuspended(session) }
        case .stopped: session.unansweredStops = max(0, session.unansweredStops - 1)
        case .action(_, let action): return onOutput(.action(key, action))
        default: break
        }
        send(message, to: key)
    }

    /// Fails all sessions of a thread whose display is lost.
    private func lose(_ thread: SurfaceThread, _ reason: String) {
        logger.warning("lost a display", metadata: ["reason": "\(reason)"])
        threads[thread.location] = nil
        thread.interrupt()
        endingThreads.append(thread)
        let lost = sessions.values.filter { $0.thread === thread }
        for session in lost.sorted(by: { $0.handle.serial < $1.handle.serial }) {
            let key = session.handle.key
            removeSession(key)
            send(.sessionFailed(session: key.session, reason: reason), to: key)
            // Each `stop` must be answered.
            for _ in 0..<session.unansweredStops { send(.stopped(session: key.session), to: key) }
            perform(arbiter.ended(key))
        }
    }
}
