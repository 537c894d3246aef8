/// The schedule of the checks that processes are silent while the compositor mutes them. A pure value; times are host
/// times in nanoseconds.
///
/// The compositor mutes an audio session by closing its gate. A process must be silent while the gates of all its
/// sessions are closed.
struct SilenceSchedule: Equatable, Sendable {
    /// The times of the checks after a process's last gate was closed, in nanoseconds. Fades and device buffers have
    /// ended by the first check.
    static let checkDelays: [Int64] = [500_000_000, 3_000_000_000, 10_000_000_000]
    /// The shortest time between two checks of a process, in nanoseconds. A process that was audible is checked again
    /// after this time, because it may open another stream.
    static let recheckDelay: Int64 = 1_000_000_000

    /// Checks that are due at the same time.
    struct DueChecks: Equatable {
        /// The processes to check.
        var processIDs: Set<Int32> = []
        /// Whether the checks are early: the processes have not acknowledged a command to be silent.
        var areEarly = false
    }

    /// The gates (mute switches of sessions) and the silence checks of one process.
    private struct Process: Equatable {
        /// The process's audio sessions that may be audible: their gate, the compositor's mute switch, is open.
        var openSessions: Set<UInt64> = []
        /// The process's audio sessions with a closed gate, and whether silence must be checked.
        var closedSessions: [UInt64: Bool] = [:]
        /// The host time at which the last gate of the process was closed.
        var lastGateClosingTime: Int64 = 0
        /// The index in ``checkDelays`` of the next check.
        var nextDelayIndex = 0
        /// The host time of the process's next check; `nil` if no check is pending.
        var nextCheckTime: Int64?
        /// The host time at which the last check began; `nil` before the first check.
        var lastCheckTime: Int64?
        /// Whether the next check is early, because the process has not acknowledged a command to be silent.
        var isNextCheckEarly = false
        /// Whether a check is running and no gate has been opened since it began.
        var isBeingChecked = false

        /// Schedules the first check if no gate is open and no check is pending or running.
        mutating func scheduleFirstCheck(now: Int64) {
            guard openSessions.isEmpty, nextCheckTime == nil, !isBeingChecked else { return }
            (lastGateClosingTime, nextDelayIndex, nextCheckTime) = (now, 0, now + SilenceSchedule.checkDelays[0])
        }
    }

    /// The processes with at least one gate, by process ID.
    private var processes: [Int32: Process] = [:]

    /// The host time of the next check of any process; `nil` if no check is pending.
    var nextCheckTime: Int64? { processes.values.lazy.compactMap(\.nextCheckTime).min() }

    /// Records that the gate of an audio session was opened or closed.
    ///
    /// - Parameters:
    ///   - isOpen: Whether the gate is open.
    ///   - session: The number of the audio session's gate (mute switch).
    ///   - processID: The process ID of the session's program.
    ///   - isChecked: Whether silence must be checked: the compositor, not the program, closed the gate.
    ///   - now: The host time.
    mutating func setGate(isOpen: Bool, session: UInt64, of processID: Int32, isChecked: Bool, now: Int64) {
        // All programs of other PID namespaces have the process ID 0, so the sound server's streams cannot be assigned
        // to them.
        guard processID > 0 else { return }
        var state = processes[processID] ?? Process()
        let wasSilent = state.openSessions.isEmpty && !state.closedSessions.isEmpty
        if isOpen {
            state.closedSessions[session] = nil
            state.openSessions.insert(session)
        } else {
            state.openSessions.remove(session)
            state.closedSessions[session] = isChecked
        }
        if !wasSilent || isOpen {
            (state.nextCheckTime, state.lastCheckTime, state.isNextCheckEarly, state.isBeingChecked) =
                (nil, nil, false, false)
        }
        // A repeated command to close a gate does not postpone the check.
        if isChecked { state.scheduleFirstCheck(now: now) }
        processes[processID] = state
    }

    /// Removes the gate of an audio session that has ended. If the gate was the last open gate of the process, the
    /// process must be silent from now on.
    ///
    /// - Parameter now: The host time.
    mutating func remove(session: UInt64, of processID: Int32, now: Int64) {
        guard var state = processes[processID] else { return }
        let wasOpen = state.openSessions.remove(session) != nil
        state.closedSessions[session] = nil
        if wasOpen, state.closedSessions.values.contains(true) { state.scheduleFirstCheck(now: now) }
        processes[processID] = state.openSessions.isEmpty && state.closedSessions.isEmpty ? nil : state
    }

    /// Returns whether a process must be silent: the compositor closed at least one of the process's gates, and no gate
    /// is open.
    func mustBeSilent(_ processID: Int32) -> Bool {
        processes[processID].map { $0.openSessions.isEmpty && $0.closedSessions.values.contains(true) } ?? false
    }

    /// Schedules an early check of a process that has not acknowledged a command to be silent. Ignored while a check is
    /// running, shortly after a check, and for a process that need not be silent.
    ///
    /// - Parameter now: The host time.
    mutating func checkEarly(_ processID: Int32, now: Int64) {
        guard mustBeSilent(processID), var state = processes[processID], !state.isBeingChecked,
            state.lastCheckTime.map({ now - $0 >= Self.recheckDelay }) ?? true
        else { return }
        (state.nextCheckTime, state.isNextCheckEarly) = (min(state.nextCheckTime ?? now, now), true)
        processes[processID] = state
    }

    /// Returns up to `limit` processes whose checks are due, and marks them as being checked. Early checks come first,
    /// and are returned without other checks. ``record(_:isAudible:now:)`` schedules the next checks.
    mutating func takeDueProcesses(now: Int64, limit: Int) -> DueChecks {
        let dueProcesses = processes.filter { $0.value.nextCheckTime.map { $0 <= now } ?? false }
        let areEarly = dueProcesses.values.contains { $0.isNextCheckEarly }
        let processIDs = dueProcesses.filter { $0.value.isNextCheckEarly == areEarly }.keys.sorted().prefix(limit)
        for processID in processIDs {
            processes[processID]?.nextCheckTime = nil
            processes[processID]?.lastCheckTime = now
            processes[processID]?.isBeingChecked = true
        }
        return DueChecks(processIDs: Set(processIDs), areEarly: areEarly)
    }

    /// Records the result of a check. A result does not count if a gate was opened during the check.
    ///
    /// - Parameters:
    ///   - processID: The process ID.
    ///   - isAudible: Whether the process is audible; `nil` if that could not be measured.
    ///   - now: The host time.
    /// - Returns: Whether the process is audible but must be silent.
    mutating func record(_ processID: Int32, isAudible: Bool?, now: Int64) -> Bool {
        guard var state = processes[processID], state.isBeingChecked else { return false }
        let wasEarly = state.isNextCheckEarly
        (state.isBeingChecked, state.isNextCheckEarly) = (false, false)
        defer { processes[processID] = state }
        if isAudible == true {
            state.nextCheckTime = now + Self.recheckDelay
            return true
        }
        // An early check does not replace one of the regular checks.
        if !wasEarly { state.nextDelayIndex += 1 }
        if Self.checkDelays.indices.contains(state.nextDelayIndex) {
            state.nextCheckTime = max(state.lastGateClosingTime + Self.checkDelays[state.nextDelayIndex], now)
        }
        return false
    }
}
