import AudioPolicy
import SystemCalls

/// Programs that a signal stopped (SIGSTOP, Ctrl-Z). The kernel sends no event for another process's stop, so the state of each
/// program with an active session is polled.
extension CompositorServer {
    /// Nanoseconds for which a program must be stopped before its sessions are suspended. A shorter stop is its user's or its debugger's affair.
    private static let stopPatience: Int64 = 3_000_000_000
    /// Nanoseconds between two looks: while no program is stopped, and while one is.
    private static let lookInterval: Int64 = 2_000_000_000, stoppedInterval: Int64 = 100_000_000

    private var observed: [ClientConnection] {
        let active = Set(audio.ids.lazy.filter { self.audio.session($0)?.claim == .active }.map(\.client))
        return clients.values.filter { active.contains($0.id) || $0.isSuspended }
    }

    /// Looks while some program has an active session, or is stopped.
    func scheduleStoppedCheck() {
        if observed.isEmpty { stoppedCheckAt = nil } else if stoppedCheckAt == nil { stoppedCheckAt = MonotonicTime.now + Self.lookInterval }
    }

    func checkStoppedPrograms(now: Int64) {
        guard let due = stoppedCheckAt, now >= due else { return }
        var isAnyStopped = false
        for client in observed.sorted(by: { $0.id < $1.id }) {
            guard ProcessState.isStoppedBySignal(client.processID) else {
                client.stoppedSince = nil
                guard client.isSuspended else { continue }
                client.isSuspended = false
                perform(audio.thaw(client: client.id, now: now), now: now)
                continue
            }
            isAnyStopped = true
            let since = client.stoppedSince ?? now
            client.stoppedSince = since
            guard !client.isSuspended, now - since >= Self.stopPatience else { continue }
            logger.info("a program is stopped: its audio sessions are suspended", metadata: ["pid": "\(client.processID)"])
            client.isSuspended = true
            isReleaseNotified = false
            perform(audio.suspend(client: client.id, now: now), now: now)
        }
        stoppedCheckAt = now + (isAnyStopped ? Self.stoppedInterval : Self.lookInterval)
    }
}
