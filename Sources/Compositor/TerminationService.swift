import CompositorProtocol
import Glibc
import Logging
import SystemCalls

/// Ends a program as the last resort when memory stays critically short, if the user's settings or the program itself
/// permit it. Used by the compositor's main thread.
///
/// Sends signals through pidfds, so that a signal never reaches a new process that reuses the process ID of an exited
/// program.
final class TerminationService {
    private let programs: ProgramConnections
    private let roles: RoleService
    private let audio: AudioService
    private let settings: SettingsFile
    private let logger: Logger
    /// Decides when a program is ended, and by which means.
    private var policy = TerminationPolicy()
    /// The process that is being ended.
    private var process: ProcessHandle?

    init(
        programs: ProgramConnections, roles: RoleService, audio: AudioService, settings: SettingsFile, logger: Logger
    ) {
        (self.programs, self.roles, self.audio) = (programs, roles, audio)
        (self.settings, self.logger) = (settings, logger)
    }

    /// Handles new memory figures: requests a program to exit, or sends it a signal, if that is due.
    ///
    /// - Parameters:
    ///   - level: The level of memory pressure.
    ///   - available: The fraction of the memory that is available.
    ///   - total: The size of the machine's memory in bytes; nil if it is unknown.
    func update(_ level: MemoryPressureLevel, available: Double, total: Int64?, now: Int64) {
        switch policy.update(level, available: available, now: now) {
        case nil: if !policy.isEnding { process = nil }
        case .chooseProgram: requestExitOfLeastImportantProgram(available: available, total: total, now: now)
        case .terminate: send(SIGTERM)
        case .kill:
            send(SIGKILL)
            process?.releaseMemoryOfKilledProcess()
            process = nil
        }
    }

    /// Records that a program has disconnected, so that no signal is sent to it.
    func handleDisconnection(of id: UInt64) { policy.recordDisconnection(of: id) }

    /// Chooses the least important program over its budget, and requests it to exit.
    private func requestExitOfLeastImportantProgram(available: Double, total: Int64?, now: Int64) {
        let candidates = candidates(total: total)
        guard let candidate = TerminationCandidate.choice(among: candidates),
            let process = programs.process(of: candidate.id)
        else { return policy.postpone(now: now) }
        self.process = process
        policy.recordExitRequest(to: candidate.id, now: now)
        logger.warning(
            "memory is critically short: a program must exit",
            metadata: [
                "pid": "\(process.processID)", "program": "\(programs.registry[candidate.id]?.name ?? "")",
                "role": "\(candidate.role)", "above budget": "\(candidate.budgetExcess >> 20) MiB",
                "available": "\(Int(available * 100)) %", "candidates": "\(candidates.count)",
            ])
        if programs.supports(.programs, 2, program: candidate.id) { programs.send(.exitRequested, to: candidate.id) }
    }

    /// Returns the programs that may be ended. `total` is the size of the machine's memory in bytes.
    private func candidates(total: Int64?) -> [TerminationCandidate] {
        let recordingPrograms = audio.recordingClients
        return roles.snapshotsByConnection.compactMap { id, snapshot in
            guard settings.settings.mayEndPrograms || programs.registry[id]?.isRestartable == true,
                let smapsRollup = programs.process(of: id)?.text(of: "smaps_rollup"),
                let memory = ProcessMemory(parsing: smapsRollup)
            else { return nil }
            return TerminationCandidate(
                id: id, role: snapshot.role, isAudible: snapshot.isAudible, isFloating: snapshot.isFloating,
                isRecording: recordingPrograms.contains(id),
                budgetExcess: Int64(memory.dirty) - snapshot.role.memoryBudget(total: total))
        }
    }

    /// Sends a signal to the process that is being ended.
    private func send(_ signal: Int32) {
        guard let process else { return }
        logger.warning("a program has not exited", metadata: ["pid": "\(process.processID)", "signal": "\(signal)"])
        // Ignore an error: the process may have exited.
        try? process.send(signal: signal)
    }
}
