/// The schedule of checks that processes are silent. A pure value; times are host nanoseconds.
///
/// A process must be silent while the gates of all its audio sessions are closed.
struct SilenceSchedule: Equatable, Sendable {
    /// The times of the checks after a process's last gate was closed, in nanoseconds. Fades and device buffers have
    /// ended by the first check.
    static let delays: [Int64] = [500_000_000, 3_000_000_000, 10_000_000_000]
    /// The time until a process that was audible is checked again, in nanoseconds: it may open another stream.
    static let repetition: Int64 = 1_000_000_000

    private struct Process: Equatable {
        var open: Set<UInt64> = []
        var closed: Set<UInt64> = []
        /// The host time at which the last gate was closed.
        var since: Int64 = 0
        /// The index in ``delays`` of the next check.
        var step = 0
        /// Host time of the next check; nil: none is due.
        var next: Int64?
        /// A check is running, and no gate has been opened or closed since it began.
        var isBeingChecked = false
    }

    private var processes: [Int32: Process] = [:]

    /// Host time of the next check; nil: none is due.
    var next: Int64? { processes.values.lazy.compactMap(\.next).min() }

    /// Opens or closes the gate of a session.
    ///
    /// - Parameters:
    ///   - isOpen: Whether the gate is open.
    ///   - session: The session.
    ///   - process: The session's process ID.
    ///   - isChecked: Whether silence must be checked: the compositor, not the program, closed the gate.
    ///   - now: The host time.
    mutating func set(isOpen: Bool, session: UInt64, of process: Int32, isChecked: Bool, now: Int64) {
        // All programs of other PID namespaces have the process ID 0, so that their streams cannot be identified.
        guard process > 0 else { return }
        var state = processes[process] ?? Process()
        let wasSilent = state.open.isEmpty && !state.closed.isEmpty
        if isOpen {
            state.closed.remove(session)
            state.open.insert(session)
        } else {
            state.open.remove(session)
            state.closed.insert(session)
        }
        if !wasSilent || isOpen { (state.next, state.isBeingChecked) = (nil, false) }
        // A repeated order does not postpone a check.
        if state.open.isEmpty, isChecked, state.next == nil, !state.isBeingChecked {
            (state.since, state.step, state.next) = (now, 0, now + Self.delays[0])
        }
        processes[process] = state
    }

    /// Forgets a session that has ended.
    mutating func remove(session: UInt64, of process: Int32) {
        guard var state = processes[process] else { return }
        state.open.remove(session)
        state.closed.remove(session)
        processes[process] = state.open.isEmpty && state.closed.isEmpty ? nil : state
    }

    /// Returns up to `limit` processes whose checks are due. They are not due again before ``note(_:isAudible:now:)``.
    mutating func takeDue(now: Int64, limit: Int) -> Set<Int32> {
        let due = processes.filter { $0.value.next.map { $0 <= now } ?? false }.keys.sorted().prefix(limit)
        for process in due {
            processes[process]?.next = nil
            processes[process]?.isBeingChecked = true
        }
        return Set(due)
    }

    /// Records the result of a check. A result does not count if a gate was opened during the check.
    ///
    /// - Parameters:
    ///   - process: The process ID.
    ///   - isAudible: Whether the process is audible; `nil` if that could not be measured.
    ///   - now: The host time.
    /// - Returns: Whether the process is audible but must be silent.
    mutating func note(_ process: Int32, isAudible: Bool?, now: Int64) -> Bool {
        guard var state = processes[process], state.isBeingChecked else { return false }
        state.isBeingChecked = false
        defer { processes[process] = state }
        if isAudible == true {
            state.next = now + Self.repetition
            return true
        }
        state.step += 1
        if Self.delays.indices.contains(state.step) { state.next = max(state.since + Self.delays[state.step], now) }
        return false
    }
}
