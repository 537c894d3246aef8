import CompositorProtocol
import Logging
import SystemCalls

/// The service for the roles of programs: derives them from windows, floating windows and audible sound, and notifies
/// the programs of changes. Used by the compositor's main thread.
final class RoleService: EventSource {
    private let programs: ProgramConnections
    private let audio: AudioService
    private let windows: WindowService
    /// Sets the `oom_score_adj` of the programs' processes.
    private let scores: ProgramOutOfMemoryScores
    /// Decides when a program's role changes.
    private var roles = ProgramRoles()
    /// Called after a program was notified of its new role.
    var onRoleChange: (_ program: UInt64, _ role: ProgramRole, _ isFloating: Bool) -> Void = { _, _, _ in }
    /// Whether windows, sound or the programs may have changed since the roles were derived.
    private var needsUpdate = false

    init(programs: ProgramConnections, audio: AudioService, windows: WindowService, logger: Logger) {
        (self.programs, self.audio, self.windows) = (programs, audio, windows)
        scores = ProgramOutOfMemoryScores(logger: logger)
    }

    /// Restores the `oom_score_adj` of the programs' processes, before the compositor exits.
    func restoreProcesses() { scores.restoreAll() }

    /// Records the state of a program's windows.
    func handle(_ presence: ProgramPresence, from program: ProgramRegistry.Program) {
        programs.registry.update(program.id) { $0.presence = presence }
        setNeedsUpdate()
    }

    /// Requests that the roles are derived again at the end of this iteration of the event loop.
    func setNeedsUpdate() { needsUpdate = true }

    /// The states of all programs that report their windows.
    var snapshots: [ProgramSnapshot] { snapshotsByConnection.map(\.snapshot) }

    /// The states of all programs that report their windows, with the numbers of their connections.
    var snapshotsByConnection: [(id: UInt64, snapshot: ProgramSnapshot)] {
        let floatingPrograms = windows.arbiter.clientsWithWindow, audiblePrograms = audio.audibleClients
        return programs.registry.all.compactMap { program in
            guard let presence = program.presence else { return nil }
            let isFloating = floatingPrograms.contains(program.id), isAudible = audiblePrograms.contains(program.id)
            let snapshot = ProgramSnapshot(
                processID: program.processID, name: program.name,
                role: roles[program.id]
                    ?? ProgramRole(presence: presence, isFloating: isFloating, isAudible: isAudible),
                presence: presence, isFloating: isFloating, isAudible: isAudible)
            return (program.id, snapshot)
        }
    }

    var deadline: Int64? { needsUpdate ? 0 : roles.deadline }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard let deadline, now >= deadline else { return }
        needsUpdate = false
        let floatingPrograms = windows.arbiter.clientsWithWindow, audiblePrograms = audio.audibleClients
        var impliedRoles: [UInt64: ProgramRole] = [:]
        for program in programs.registry.all {
            guard let presence = program.presence else { continue }
            impliedRoles[program.id] = ProgramRole(
                presence: presence, isFloating: floatingPrograms.contains(program.id),
                isAudible: audiblePrograms.contains(program.id))
        }
        for change in roles.update(impliedRoles, now: now) {
            programs.send(.role(change.role), to: change.id)
            onRoleChange(change.id, change.role, floatingPrograms.contains(change.id))
        }
        let scoredPrograms = impliedRoles.keys.sorted().map { id in
            ProgramOutOfMemoryScores.Program(
                id: id, role: roles[id] ?? .none,
                isPerceived: floatingPrograms.contains(id) || audiblePrograms.contains(id))
        }
        scores.update(scoredPrograms) { [programs] in programs.process(of: $0) }
    }
}
