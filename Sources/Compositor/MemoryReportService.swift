import CompositorProtocol
import SystemCalls

/// The service that answers queries for the memory of all programs, from reports that it requests from the programs and
/// from the kernel's figures. Used by the compositor's main thread.
final class MemoryReportService: EventSource {
    private let programs: ProgramConnections
    private let roles: RoleService
    private let memory: MemoryService
    /// The queries that wait for reports.
    private var queries = MemoryQueries()
    /// The reports that have arrived while queries wait, by the numbers of the programs' connections.
    private var reports: [UInt64: MemoryReport] = [:]

    init(programs: ProgramConnections, roles: RoleService, memory: MemoryService) {
        (self.programs, self.roles, self.memory) = (programs, roles, memory)
    }

    /// Begins to answer a program's query: requests a report from each program.
    func handleQuery(from requester: UInt64) {
        let reportingPrograms = programs.registry.all.filter {
            $0.presence != nil && programs.supports(.programs, 2, program: $0.id)
        }
        queries.add(requester, programs: Set(reportingPrograms.map(\.id)), now: MonotonicTime.now)
        for program in reportingPrograms {
            reports[program.id] = nil
            programs.send(.memoryReportRequested, to: program.id)
        }
    }

    /// Records a program's report.
    func handle(_ report: MemoryReport, from program: UInt64) {
        guard queries.deadline != nil else { return }
        reports[program] = report
        queries.remove(program, isDisconnected: false)
    }

    /// Removes the queries and the report of a program that has disconnected.
    func handleDisconnection(of program: UInt64) {
        queries.remove(program, isDisconnected: true)
        reports[program] = nil
    }

    var deadline: Int64? { queries.hasCompleteQuery ? 0 : queries.deadline }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        for requester in queries.takeFinishedQueries(now: now) { sendAnswer(to: requester) }
        if queries.deadline == nil { reports = [:] }
    }

    /// Answers a query with the level of memory pressure and the memory of all programs.
    private func sendAnswer(to requester: UInt64) {
        programs.send(.memoryPressure(memory.level), to: requester)
        let totalBytes = memory.totalBytes
        for (id, snapshot) in roles.snapshotsByConnection {
            programs.send(
                .programMemory(
                    ProgramMemory(
                        program: snapshot, budget: snapshot.role.memoryBudget(total: totalBytes),
                        usage: usage(of: id), report: reports[id])),
                to: requester)
        }
        programs.send(.systemDone, to: requester)
    }

    /// Returns the memory of a program as the kernel reports it; nil if it cannot be read.
    private func usage(of id: UInt64) -> (dirty: Int64, clean: Int64)? {
        guard let smapsRollup = programs.process(of: id)?.text(of: "smaps_rollup"),
            let memory = ProcessMemory(parsing: smapsRollup)
        else { return nil }
        return (Int64(memory.dirty), Int64(memory.clean))
    }
}
