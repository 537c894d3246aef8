import CompositorProtocol
import Glibc
import Logging
import SystemCalls

/// The service that ends programs at the user's request: a program receives SIGTERM, and SIGKILL if it does not exit.
/// Used by the compositor's main thread.
final class ProgramClosingService: EventSource {
    /// A process that is being ended.
    private struct Closing {
        let process: ProcessHandle
        /// The identifier of the program's picture.
        let identifier: String
        /// The host time at which the process is killed, or, after that, at which the service gives up.
        var deadline: Int64
        var wasKilled = false
    }

    /// A request that is answered when its processes have ended.
    private struct Request {
        /// The connection that receives the result.
        let requester: UInt64
        /// The processes in ``closings`` whose ends the request awaits.
        var processes: Set<ObjectIdentifier> = []
    }

    /// The time for a program to exit after SIGTERM, and for a killed process to end, in nanoseconds. Together they are
    /// shorter than the time for which ``SystemControl`` waits.
    static let exitTimeout: Int64 = 2_000_000_000, endTimeout: Int64 = 500_000_000
    /// The largest number of pending requests of one connection. Further requests are answered without an effect.
    static let requestLimit = 16

    private let programs: ProgramConnections
    private let snapshots: SnapshotService
    private let logger: Logger
    /// The largest number of processes that are ended at the same time: each of them needs two file descriptors.
    private let processLimit: Int
    /// Opens the process of the program with a connection number; returns nil if the process has ended.
    private let openProcess: (UInt64) -> ProcessHandle?
    /// The processes that are being ended.
    private var closings: [Closing] = []
    /// The pending requests, oldest first.
    private var requests: [Request] = []

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - processLimit: The largest number of processes that are ended at the same time.
    ///   - openProcess: Opens the process of the program with a connection number; nil for the process at the other end
    ///     of the program's socket.
    init(
        programs: ProgramConnections, snapshots: SnapshotService, logger: Logger, processLimit: Int = 64,
        openProcess: ((UInt64) -> ProcessHandle?)? = nil
    ) {
        (self.programs, self.snapshots, self.logger) = (programs, snapshots, logger)
        self.processLimit = processLimit
        self.openProcess = openProcess ?? programs.process(of:)
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
    /// The requester receives `programClosed` for each process that has ended, and then `systemDone`. Processes beyond
    /// the limit are not ended.
    func handle(_ name: String, from requester: ProgramRegistry.Program) {
        snapshots.removePicture(of: name)
        requests.removeAll { !programs.isConnected($0.requester) }
        guard requests.count(where: { $0.requester == requester.id }) < Self.requestLimit else {
            return programs.send(.systemDone, to: requester.id)
        }
        var request = Request(requester: requester.id)
        var processIDs: Set<Int32> = [requester.processID, 0]
        for program in programs.registry.all {
            let identifier = snapshots.identifier(of: program)
            guard [program.name, identifier, "\(program.processID)"].contains(name),
                processIDs.insert(program.processID).inserted,
                let process = terminate(program, identifier: identifier)
            else { continue }
            snapshots.removePicture(of: identifier)
            request.processes.insert(ObjectIdentifier(process))
        }
        if request.processes.isEmpty {
            programs.send(.systemDone, to: requester.id)
        } else {
            requests.append(request)
        }
    }

    /// Sends SIGTERM to the process of a program, unless the process is already being ended.
    ///
    /// - Parameter identifier: The identifier of the program's picture.
    /// - Returns: The process; nil if it has ended, or if too many processes are being ended.
    private func terminate(_ program: ProgramRegistry.Program, identifier: String) -> ProcessHandle? {
        // Another process may already have the ID of a process that has just ended.
        let current = closings.first { $0.process.processID == program.processID && $0.process.isRunning }
        if let current { return current.process }
        guard closings.count < processLimit, let process = openProcess(program.id) else { return nil }
        logger.info(
            "the user closes a program", metadata: ["pid": "\(process.processID)", "program": "\(program.name)"])
        send(SIGTERM, to: process)
        closings.append(
            Closing(process: process, identifier: identifier, deadline: MonotonicTime.now + Self.exitTimeout))
        return process
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
                for request in requests where request.processes.contains(ObjectIdentifier(closing.process)) {
                    programs.send(
                        .programClosed(processID: closing.process.processID, wasKilled: closing.wasKilled),
                        to: request.requester)
                }
            }
        }
        closings = remaining
        answerFinishedRequests()
    }

    /// Sends `systemDone` for each request whose processes have all ended, or were given up.
    private func answerFinishedRequests() {
        let runningProcesses = Set(closings.map { ObjectIdentifier($0.process) })
        for index in requests.indices { requests[index].processes.formIntersection(runningProcesses) }
        let finished = requests.filter(\.processes.isEmpty)
        requests.removeAll(where: \.processes.isEmpty)
        for request in finished { programs.send(.systemDone, to: request.requester) }
    }

    private func send(_ signal: Int32, to process: ProcessHandle) {
        // Ignore an error: the process may have ended.
        try? process.send(signal: signal)
    }
}
