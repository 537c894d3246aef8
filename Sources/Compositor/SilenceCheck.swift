import SystemCalls

/// The check at the sound server that programs with closed gates are silent.
///
/// A program can falsely acknowledge orders in its gain page. The sound server's measurement does not depend on the
/// program. It is not available without a sound server, or for a program that plays to an ALSA device directly. The
/// measurements run on a thread of their own, which starts with the first closed gate.
final class SilenceCheck: Sendable {
    private struct State {
        var schedule = SilenceSchedule()
        var nextSession: UInt64 = 0
        var isClosed = false
    }

    /// One session's gate. Releasing it ends its checks.
    final class Gate {
        private let check: SilenceCheck
        private let process: Int32
        private let session: UInt64

        fileprivate init(_ check: SilenceCheck, _ process: Int32, _ session: UInt64) {
            (self.check, self.process, self.session) = (check, process, session)
        }

        deinit { check.state.update { $0.schedule.remove(session: session, of: process) } }

        /// Sets the state of the gate.
        ///
        /// - Parameters:
        ///   - isOpen: Whether the gate is open.
        ///   - isChecked: Whether a closed gate is checked.
        func set(isOpen: Bool, isChecked: Bool) {
            check.set(isOpen: isOpen, session: session, of: process, isChecked: isChecked)
        }
    }

    private let state = Monitor(State())
    private let thread = Monitor<NamedThread?>(nil)
    private let onSound: @Sendable (Int32) -> Void
    /// The time limit of one measurement, in nanoseconds.
    private static let patience: Int64 = 2_000_000_000
    /// The largest number of processes in one measurement.
    private static let processLimit = 8

    /// - Parameter onSound: Called on the thread "silence check" with a process that is audible but must be silent.
    init(onSound: @escaping @Sendable (Int32) -> Void) { self.onSound = onSound }

    deinit {
        state.update { $0.isClosed = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Registers a gate of a process.
    func gate(of process: Int32) -> Gate {
        Gate(
            self, process,
            state.withLock { state in
                defer { state.nextSession += 1 }
                return state.nextSession
            })
    }

    private func set(isOpen: Bool, session: UInt64, of process: Int32, isChecked: Bool) {
        let now = MonotonicTime.now
        state.update {
            $0.schedule.set(isOpen: isOpen, session: session, of: process, isChecked: isChecked, now: now)
        }
        guard !isOpen, isChecked else { return }
        thread.withLock { thread in
            guard thread == nil else { return }
            let (state, onSound) = (state, onSound)
            // If the thread cannot start, only the check is missing.
            thread = try? NamedThread("silence check") { Self.serve(state, onSound) }
        }
    }

    private static func serve(_ state: Monitor<State>, _ onSound: (Int32) -> Void) {
        while true {
            let next = state.withLock { $0.schedule.next }
            let due: Set<Int32>? = state.wait(until: next) { state in
                if state.isClosed { return [] }
                let due = state.schedule.takeDue(now: MonotonicTime.now, limit: processLimit)
                // No check is due yet: wait again if the time of the next check has changed.
                return due.isEmpty && state.schedule.next == next ? nil : due
            }
            if state.withLock({ $0.isClosed }) { return }
            guard let due, !due.isEmpty else { continue }
            let heard = SoundServerPeaks.audible(
                among: due, until: MonotonicTime.now + patience, isCancelled: { state.withLock { $0.isClosed } })
            let disobedient = state.withLock { state in
                due.filter { state.schedule.note($0, isAudible: heard?.contains($0), now: MonotonicTime.now) }
            }
            for process in disobedient.sorted() { onSound(process) }
        }
    }
}
