import SystemCalls

/// Verifies with the sound server that programs whose sessions the compositor muted are silent.
///
/// A program can falsely acknowledge gain commands in its shared memory, but cannot change the sound server's
/// measurement. No measurement is possible without a sound server, or for a program that plays to an ALSA device
/// directly. The measurements run on a separate thread (the measurement thread), which starts with the first closed
/// gate.
final class SilenceCheck: Sendable {
    /// The state that the main thread shares with the measurement thread.
    private struct State {
        /// The times at which the processes are checked.
        var schedule = SilenceSchedule()
        /// The number of the next gate (mute switch of an audio session).
        var nextGateNumber: UInt64 = 0
        /// Whether the measurement thread must end.
        var isClosed = false
    }

    /// The gate that mutes one audio session. The release of this object ends the checks of the session.
    final class Gate {
        /// The object that measures whether the gate's program is silent.
        private let check: SilenceCheck
        /// The process ID of the session's program.
        private let processID: Int32
        /// The number of the gate (mute switch of an audio session), unique in this process.
        private let gateNumber: UInt64

        fileprivate init(_ check: SilenceCheck, _ processID: Int32, _ gateNumber: UInt64) {
            (self.check, self.processID, self.gateNumber) = (check, processID, gateNumber)
        }

        deinit { check.state.update { $0.schedule.remove(session: gateNumber, of: processID, now: MonotonicTime.now) } }

        /// Records that the gate was opened or closed.
        ///
        /// - Parameters:
        ///   - isOpen: Whether the gate is open.
        ///   - isChecked: Whether the silence of a closed gate is measured.
        func setGate(isOpen: Bool, isChecked: Bool) {
            check.setGate(isOpen: isOpen, session: gateNumber, of: processID, isChecked: isChecked)
        }

        /// Requests an early check, because the program has not acknowledged a command to be silent.
        func checkEarly() {
            let now = MonotonicTime.now
            check.state.update { $0.schedule.checkEarly(processID, now: now) }
        }
    }

    /// The state shared with the measurement thread.
    private let state = Monitor(State())
    /// The measurement thread; `nil` before the first closed gate.
    private let thread = Monitor<NamedThread?>(nil)
    /// Called on the measurement thread with the ID of a process that is audible but must be silent, and a function
    /// that returns whether the process must still be silent.
    private let onAudible: @Sendable (Int32, _ mustBeSilent: @escaping @Sendable () -> Bool) -> Void
    /// The length of a regular measurement, in nanoseconds.
    private static let measurementDuration: Int64 = 400_000_000
    /// The length of an early measurement, in nanoseconds. It is short, because a program that ignores a command to be
    /// silent must not stay audible for long.
    private static let earlyMeasurementDuration: Int64 = 160_000_000
    /// The time limit of one measurement, in nanoseconds.
    private static let timeout: Int64 = 2_000_000_000
    /// The largest number of processes in one measurement.
    private static let processLimit = 8

    /// Creates the check, at first without gates of sessions.
    init(onAudible: @escaping @Sendable (Int32, _ mustBeSilent: @escaping @Sendable () -> Bool) -> Void) {
        self.onAudible = onAudible
    }

    /// Ends the measurement thread.
    deinit {
        state.update { $0.isClosed = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Creates the gate (mute switch) of an audio session of a process.
    func gate(of processID: Int32) -> Gate {
        Gate(
            self, processID,
            state.withLock { state in
                defer { state.nextGateNumber += 1 }
                return state.nextGateNumber
            })
    }

    /// Records the state of a gate, and starts the thread for the first check.
    private func setGate(isOpen: Bool, session: UInt64, of processID: Int32, isChecked: Bool) {
        let now = MonotonicTime.now
        state.update {
            $0.schedule.setGate(isOpen: isOpen, session: session, of: processID, isChecked: isChecked, now: now)
        }
        guard !isOpen, isChecked else { return }
        thread.withLock { thread in
            guard thread == nil else { return }
            let (state, onAudible) = (state, onAudible)
            // If the thread cannot start, the compositor works without checks of silence.
            thread = try? NamedThread("silence check") { Self.run(state, onAudible) }
        }
    }

    /// Measures silence when a check is due, until the ``SilenceCheck`` is released.
    private static func run(
        _ state: Monitor<State>, _ onAudible: (Int32, _ mustBeSilent: @escaping @Sendable () -> Bool) -> Void
    ) {
        while true {
            let nextCheckTime = state.withLock { $0.schedule.nextCheckTime }
            let dueChecks: SilenceSchedule.DueChecks? = state.wait(until: nextCheckTime) { state in
                if state.isClosed { return SilenceSchedule.DueChecks() }
                let dueChecks = state.schedule.takeDueProcesses(now: MonotonicTime.now, limit: processLimit)
                // No check is due yet: wait again if the time of the next check has changed.
                return dueChecks.processIDs.isEmpty && state.schedule.nextCheckTime == nextCheckTime ? nil : dueChecks
            }
            if state.withLock({ $0.isClosed }) { return }
            guard let dueChecks, !dueChecks.processIDs.isEmpty else { continue }
            let audibleProcesses = SoundServerPeaks.audibleProcesses(
                among: dueChecks.processIDs, for: dueChecks.areEarly ? earlyMeasurementDuration : measurementDuration,
                until: MonotonicTime.now + timeout,
                isCancelled: { state.withLock { $0.isClosed } })
            let processesToReport = state.withLock { state in
                dueChecks.processIDs.filter {
                    state.schedule.record($0, isAudible: audibleProcesses?.contains($0), now: MonotonicTime.now)
                }
            }
            for processID in processesToReport.sorted() {
                onAudible(processID) { state.withLock { $0.schedule.mustBeSilent(processID) } }
            }
        }
    }
}
