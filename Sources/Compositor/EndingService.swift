import CompositorProtocol
import Glibc
import Logging
import SystemCalls

/// Ends a program as the last resort when memory stays critically short, if the user's settings or the program itself
/// permit it. Used by the compositor's main thread.
///
/// Signals go to pidfds: a process that has taken the number of an ended program never receives one.
final class EndingService {
    private let programs: ProgramConnections
    private let roles: RoleService
    private let audio: AudioService
    private let settings: SettingsFile
    private let logger: Logger
    private var ending = ProgramEnding()
    /// The process that is being ended.
    private var process: ProcessHandle?

    init(
        programs: ProgramConnections, roles: RoleService, audio: AudioService, settings: SettingsFile, logger: Logger
    ) {
        (self.programs, self.roles, self.audio) = (programs, roles, audio)
        (self.settings, self.logger) = (settings, logger)
    }

    /// Acts after a reading of the memory's figures.
    ///
    /// - Parameters:
    ///   - level: The level of memory pressure.
    ///   - available: The fraction of the memory that is available.
    ///   - total: The memory of the machine in bytes; nil if it is unknown.
    func update(_ level: MemoryPressureLevel, available: Double, total: Int64?, now: Int64) {
        switch ending.update(level, available: available, now: now) {
        case nil: if !ending.isEnding { process = nil }
        case .choose: askLeastImportantProgram(available: available, total: total, now: now)
        case .terminate: send(SIGTERM)
        case .kill:
            send(SIGKILL)
            process?.releaseMemoryOfKilledProcess()
            process = nil
        }
    }

    /// Forgets a program that has disconnected.
    func clientDisconnected(_ id: UInt64) { ending.programDisconnected(id) }

    private func askLeastImportantProgram(available: Double, total: Int64?, now: Int64) {
        let candidates = candidates(total: total)
        guard let choice = EndingCandidate.choice(among: candidates), let process = programs.process(of: choice.id)
        else { return ending.postpone(now: now) }
        self.process = process
        ending.begin(choice.id, now: now)
        logger.warning(
            "memory is critically short: a program must exit",
            metadata: [
                "pid": "\(process.processID)", "program": "\(programs.registry[choice.id]?.name ?? "")",
                "role": "\(choice.role)", "above budget": "\(choice.excess >> 20) MiB",
                "available": "\(Int(available * 100)) %", "candidates": "\(candidates.count)",
            ])
        if programs.supports(.programs, 2, program: choice.id) { programs.send(.exitRequested, to: choice.id) }
    }

    /// The programs that may be ended.
    private func candidates(total: Int64?) -> [EndingCandidate] {
        let recording = audio.recordingClients
        return roles.snapshotsByConnection.compactMap { id, snapshot in
            guard settings.settings.endsPrograms || programs.registry[id]?.isRestartable == true,
                let text = programs.process(of: id)?.text(of: "smaps_rollup"),
                let memory = ProcessMemory(parsing: text)
            else { return nil }
            return EndingCandidate(
                id: id, role: snapshot.role, isAudible: snapshot.isAudible, isFloating: snapshot.isFloating,
                isRecording: recording.contains(id),
                excess: Int64(memory.dirty) - snapshot.role.memoryBudget(total: total))
        }
    }

    private func send(_ signal: Int32) {
        guard let process else { return }
        logger.warning("a program has not exited", metadata: ["pid": "\(process.processID)", "signal": "\(signal)"])
        // The process may have ended.
        try? process.send(signal: signal)
    }
}
