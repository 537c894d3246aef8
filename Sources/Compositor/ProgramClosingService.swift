import CompositorProtocol
import Glibc
import Logging
import SystemCalls

/// The service that ends programs at the user's request: a program receives SIGTERM, and SIGKILL if it does not exit.
/// Used by the compositor's main thread.
final class ProgramClosingService: EventSource {
    /// A process that is being ended.
    private struct Closing {
        /// The connection that receives the result.
        let requester: UInt64
        let process: ProcessHandle
        /// The identifier of the program's picture.
        let identifier: String
        /// The host time at which the process is killed, or, after that, at which the service gives up.
        var deadline: Int64
        var wasKilled = false
    }

    /// The time for a program to exit after SIGTERM, and for a killed process to end, in nanoseconds. Together they are
    /// shorter than the time for which ``SystemControl`` waits.
    static let exitTimeout: Int64 = 2_000_000_000, endTimeout: Int64 = 500_000_000

    private let programs: ProgramConnections
    private let snapshots: SnapshotService
    private let logger: Logger
    private var closings: [Closing] = []

    init(programs: ProgramConnections, snapshots: SnapshotService, logger: Logger) {
        (self.programs, self.snapshots, self.logger) = (programs, snapshots, logger)
    }

    /// The identifiers of the pictures of all programs.
    var pictures: [ProgramPicture] {
        programs.registry.all.compactMap { program in
            snapshots.picture(of: program).map { identifier, isPrivate in
                ProgramPicture(processID: program.processID, identifier: identifier, isPrivate: isPrivate)
            }
        }
    }

    /// Ends the programs with a name, an identifier or a process ID, and deletes their pictures.
    ///
    /// The requester receives `programClosed` for each process that has ended, and then `systemDone`.
    func handle(_ name: String, from requester: ProgramRegistry.Program) {
        var processIDs: Set<Int32> = [requester.processID, 0]
        snapshots.removePicture(of: name)
        for program in programs.registry.all {
            let identifier = snapshots.identifier(of: program)
            guard [program.name, identifier, "\(program.processID)"].contains(name),
                processIDs.insert(program.processID).inserted, let process = programs.process(of: program.id)
            else { continue }
            snapshots.removePicture(of: identifier)
            logger.info("the user closes a program", metadata: ["pid": "\(process.processID)", "program": "\(name)"])
            send(SIGTERM, to: process)
            closings.append(
                Closing(
                    requester: requester.id, process: process, identifier: identifier,
                    deadline: MonotonicTime.now + Self.exitTimeout))
        }
        if !closings.contains(where: { $0.requester == requester.id }) { programs.send(.systemDone, to: requester.id) }
    }

    var entries: [Poll.Entry] { closings.map { Poll.Entry($0.process.raw) } }
    var deadline: Int64? { closings.map(\.deadline).min() }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard !closings.isEmpty else { return }
        var remaining: [Closing] = []
        for var closing in closings {
            let isRunning = closing.process.isRunning
            if isRunning, now < closing.deadline {
                remaining.append(closing)
            } else if isRunning, !closing.wasKilled {
                send(SIGKILL, to: closing.process)
                (closing.wasKilled, closing.deadline) = (true, now + Self.endTimeout)
                remaining.append(closing)
            } else if !isRunning {
                // The program may have sent another picture before it has ended.
                snapshots.removePicture(of: closing.identifier)
                programs.send(
                    .programClosed(processID: closing.process.processID, wasKilled: closing.wasKilled),
                    to: closing.requester)
            }
        }
        let finished = Set(closings.map(\.requester)).subtracting(remaining.map(\.requester))
        closings = remaining
        for requester in finished { programs.send(.systemDone, to: requester) }
    }

    private func send(_ signal: Int32, to process: ProcessHandle) {
        // Ignore an error: the process may have ended.
        try? process.send(signal: signal)
    }
}
