import SystemCalls

/// Checks at the sound server that programs whose gates are closed are silent (decision D-9 of the audio policy).
///
/// A program can write into its gain page that it obeys. What the sound server plays for the program's process is no
/// statement of the program. Where there is no sound server, or the program plays into an ALSA device by itself, there
/// is no such proof. One thread, which starts with the first gate that is closed; nothing else waits for the server.
final class SilenceCheck: Sendable {
    private struct State {
        var schedule = SilenceSchedule()
        var nextSession: UInt64 = 0
        var isClosed = false
    }

    /// One session's gate. Its owner's deinit withdraws it.
    final class Gate {
        private let check: SilenceCheck
        private let process: Int32
        private let session: UInt64

        fileprivate init(_ check: SilenceCheck, _ process: Int32, _ session: UInt64) {
            (self.check, self.process, self.session) = (check, process, session)
        }

        deinit { check.state.update { $0.schedule.remove(session: session, of: process) } }

        /// - Parameter isChecked: whether a closed gate is checked.
        func set(isOpen: Bool, isChecked: Bool) {
            check.set(isOpen: isOpen, session: session, of: process, isChecked: isChecked)
        }
    }

    private let state = Monitor(State())
    private let thread = Monitor<NamedThread?>(nil)
    private let onSound: @Sendable (Int32) -> Void
    /// Nanoseconds that one visit may take.
    private static let patience: Int64 = 2_000_000_000
    /// Processes that are checked in one visit at most.
    private static let processLimit = 8

    /// - Parameter onSound: called on the thread "silence check" with a process that is heard although it must not be.
    init(onSound: @escaping @Sendable (Int32) -> Void) { self.onSound = onSound }

    deinit {
        state.update { $0.isClosed = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Begins to follow a gate of a process.
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
            // Without a thread there is no proof, and everything else works.
            thread = try? NamedThread("silence check") { Self.serve(state, onSound) }
        }
    }

    private static func serve(_ state: Monitor<State>, _ onSound: (Int32) -> Void) {
        while true {
            let next = state.withLock { $0.schedule.next }
            let due: Set<Int32>? = state.wait(until: next) { state in
                if state.isClosed { return [] }
                let due = state.schedule.takeDue(now: MonotonicTime.now, limit: processLimit)
                // Nothing is due yet: wait again where the next check is another one now.
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
