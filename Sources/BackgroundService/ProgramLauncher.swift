import BackgroundProtocol
import Glibc
import LedgerStore
import Logging
import SystemCalls
import TransferPolicy

/// An object that starts programs for fetches and notifications.
protocol ProgramStarting: AnyObject {
    /// Called when a started process has exited.
    var onExit: (any WakeProcess) -> Void { get set }
    /// Returns whether a program handles a fetch or a notification now.
    var hasWakes: (Client) -> Bool { get set }
    /// Starts a program, unless a start of it runs already.
    func start(_ client: Client) -> ProgramStart
    /// The running process that was started for a program; nil if there is none.
    func process(of client: Client) -> (any WakeProcess)?
}

/// The result of a start for a fetch or a notification.
enum ProgramStart {
    case started(any WakeProcess)
    /// The program cannot be started now.
    case refused
}

/// Starts the programs that have events, fetches or notifications and do not run.
///
/// Used by the service's thread.
final class ProgramLauncher: ProgramStarting {
    /// The environment variable of a program that the service, not the user, has started.
    static let startVariable = "SWIFTPLAY_BACKGROUND_START"
    private let sessions: SessionService
    private let loop: EventLoop
    private let clock: ServiceClock
    private let logger: Logger
    var onExit: (any WakeProcess) -> Void = { _ in }
    var hasWakes: (Client) -> Bool = { _ in false }

    /// Creates a launcher.
    init(sessions: SessionService, loop: EventLoop) {
        (self.sessions, self.loop) = (sessions, loop)
        (clock, logger) = (sessions.clock, sessions.logger)
    }

    /// Starts the programs that must be started now.
    ///
    /// - Returns: The boot time of the next call in nanoseconds; nil if none is needed.
    func startPrograms() -> Int64? {
        var times: [Int64] = []
        let waitingSessions = sessions.sessions.values.filter { needsProgram($0) }
        for client in Set(waitingSessions.map { ObjectIdentifier($0.client) }).compactMap({ id in
            waitingSessions.first { ObjectIdentifier($0.client) == id }?.client
        }) {
            if let end = client.reconnectionEnd, clock.time < end {
                times.append(end.clampedNanoseconds)
                continue
            }
            if let start = client.start {
                guard let deadline = start.deadline else { continue }
                guard clock.now() >= deadline else {
                    times.append(deadline)
                    continue
                }
                // The program runs and does not connect. A program that the user may see is not killed.
                client.start = nil
                client.relaunch.handleFailedStart(now: clock.time)
                sessions.save(client)
            }
            switch client.relaunch.decision(now: clock.time) {
            case .start: times.append(launch(client))
            case .wait(let time): times.append(time.clampedNanoseconds)
            case .waitForUser: break
            }
        }
        return times.min()
    }

    /// Whether the program of a session must run: it has events, all transfers of the session have ended, and no
    /// process of the program is connected.
    private func needsProgram(_ session: Session) -> Bool {
        let configuration = session.configuration
        return configuration.deliversEvents && configuration.sendsLaunchEvents
            && !sessions.isConnected(session.client) && !session.client.row.executable.isEmpty
            && sessions.eventCount(of: session) > 0 && !sessions.hasRunningTransfer(session)
    }

    func start(_ client: Client) -> ProgramStart {
        if let start = client.start { return .started(start.process) }
        guard !client.row.executable.isEmpty, client.relaunch.decision(now: clock.time) == .start else {
            return .refused
        }
        _ = launch(client)
        return client.start.map { .started($0.process) } ?? .refused
    }

    func process(of client: Client) -> (any WakeProcess)? { client.start?.process }

    /// Starts a program: the executable file that has registered, with its fixed arguments, without a shell.
    ///
    /// - Returns: The boot time by which the program must connect, in nanoseconds.
    private func launch(_ client: Client) -> Int64 {
        let row = client.row
        client.relaunch.handleStart(now: clock.time)
        do throws(SystemCallError) {
            let file = try FileDescriptor(opening: row.executable, flags: O_RDONLY)
            guard try file.identity() == row.identity else {
                throw SystemCallError(call: "the executable file was replaced", number: ESTALE)
            }
            setenv(Self.startVariable, "1", 1)
            defer { unsetenv(Self.startVariable) }
            let processID = try ChildProgram.start(
                row.executable, row.arguments,
                steps: [.open(path: "/dev/null", flags: O_RDWR, as: 0), .copy(0, as: 1), .copy(0, as: 2)],
                descriptorCount: 3, hasOwnSession: true)
            let process = try ServiceProcess(processID)
            process.onExit = { [unowned self, unowned process, unowned client] in
                loop.remove(process)
                handleExit(of: process, client)
            }
            loop.add(process, to: .system)
            let deadline = clock.now() + RelaunchPolicy.connectTimeout.clampedNanoseconds
            client.start = Client.Start(process: process, deadline: deadline)
            sessions.save(client)
            return deadline
        } catch {
            logger.error("cannot start \(row.name): \(error)")
            client.relaunch.handleFailedStart(now: clock.time)
            sessions.save(client)
            return clock.now() + MonotonicTime.nanosecondsPerSecond
        }
    }

    /// Delays the next start of a program that has exited without having handled an event, a fetch or a notification.
    private func handleExit(of process: ServiceProcess, _ client: Client) {
        let isCurrent = client.start?.process === process, hasAcknowledged = client.start?.hasAcknowledged == true
        let isNeeded = sessions.hasEvents(client) || hasWakes(client)
        if isCurrent { client.start = nil }
        onExit(process)
        // A program that crashes in its first callback must not be started again at once, and for ever.
        guard isCurrent, !hasAcknowledged, isNeeded else { return }
        client.relaunch.handleFailedStart(now: clock.time)
        sessions.save(client)
    }
}
