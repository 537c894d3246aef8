/// Which processes must be silent, and when that is checked. A pure value; times are host nanoseconds.
///
/// A process must be silent while the gates of all its audio sessions are closed.
struct SilenceSchedule: Equatable, Sendable {
    /// When a process is checked, after its last gate was closed: a fade, and what devices hold, is over by the first.
    static let delays: [Int64] = [500_000_000, 3_000_000_000, 10_000_000_000]
    /// When a process that was heard is checked again: it may open another stream.
    static let repetition: Int64 = 1_000_000_000

    private struct Process: Equatable {
        var open: Set<UInt64> = []
        var closed: Set<UInt64> = []
        /// Host time at which the last gate was closed.
        var since: Int64 = 0
        /// The place in ``delays`` of the next check.
        var step = 0
        /// Host time of the next check; nil: none is due.
        var next: Int64?
        /// A check is under way, and no gate was opened or closed since it began.
        var isBeingChecked = false
    }

    private var processes: [Int32: Process] = [:]

    /// Host time of the next check; nil: none is due.
    var next: Int64? { processes.values.lazy.compactMap(\.next).min() }

    /// Opens or closes the gate of a session.
    ///
    /// - Parameter isChecked: the session may not be heard any longer although it did not ask for that.
    mutating func set(isOpen: Bool, session: UInt64, of process: Int32, isChecked: Bool, now: Int64) {
        // Programs in other PID namespaces are all process 0 here: a stream cannot be told to be theirs.
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
        // An order that repeats what holds does not put a check off.
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

    /// The processes whose check is due, up to `limit`. They are not due again before ``note(_:isAudible:now:)``.
    mutating func takeDue(now: Int64, limit: Int) -> Set<Int32> {
        let due = processes.filter { $0.value.next.map { $0 <= now } ?? false }.keys.sorted().prefix(limit)
        for process in due {
            processes[process]?.next = nil
            processes[process]?.isBeingChecked = true
        }
        return Set(due)
    }

    /// Takes in the outcome of a check. One during which a gate was opened does not count.
    ///
    /// - Parameter isAudible: nil where that could not be measured.
    /// - Returns: whether the process is heard although it must not be.
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
