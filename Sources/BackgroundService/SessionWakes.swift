import BackgroundProtocol
import FetchPolicy
import Glibc
import Logging

/// The programs that handle the events of sessions after a start by the service, and the time limit of each.
///
/// These starts do not count towards the budget of fetches: `RelaunchPolicy` limits them by the delay of transfers that
/// a program creates in the background.
///
/// Used by the service's thread.
final class SessionWakes {
    /// A program that handles events.
    private final class SessionWake {
        let client: Client
        let process: any WakeProcess
        weak var connection: ClientConnection?
        /// The sessions whose completion handler was not called yet.
        var openSessions: Set<Int64>
        var machine: WakeMachine

        init(
            _ client: Client, _ process: any WakeProcess, _ connection: ClientConnection, _ openSessions: Set<Int64>,
            startTime: Duration
        ) {
            (self.client, self.process, self.connection) = (client, process, connection)
            self.openSessions = openSessions
            machine = WakeMachine(startTime: startTime, isUserRunning: false)
        }
    }

    private let sessions: SessionService
    private let starter: any ProgramStarting
    private var wakes: [SessionWake] = []
    private var logger: Logger { sessions.logger }
    /// The monotonic time, which does not count the suspension of the machine.
    private var monotonicTime: Duration { .nanoseconds(sessions.clock.monotonic()) }

    /// Creates the time limits without a running program.
    init(sessions: SessionService, starter: any ProgramStarting) { (self.sessions, self.starter) = (sessions, starter) }

    /// Reports the sessions with events to a program that the service has started, and starts its time limit.
    func handleConnected(_ connection: ClientConnection) {
        guard connection.presence.isBackgroundStart, let client = connection.client else { return }
        let waiting = sessions.sessions.values.filter { $0.client === client && sessions.eventCount(of: $0) > 0 }
        for session in waiting { connection.send(.eventsWaiting(identifier: session.row.identifier)) }
        guard !waiting.isEmpty,
            let process = starter.process(of: client) ?? ConnectedProcess(connection.processID)
        else { return }
        wakes.append(SessionWake(client, process, connection, Set(waiting.map(\.row.id)), startTime: monotonicTime))
    }

    /// Records that a program has called the completion handler of a session.
    func handleCompletion(of session: Session, _ connection: ClientConnection) {
        for wake in wakes where wake.connection === connection {
            wake.openSessions.remove(session.row.id)
            if wake.openSessions.isEmpty { handle(.complete, of: wake) }
        }
    }

    /// Records that the user has opened a program. It is not stopped any more.
    func handleOpening(of client: Client) {
        for wake in wakes where wake.client === client { wake.machine.handleOpening() }
    }

    /// Records that a connection has ended. The exit of a process that an earlier run of the service has started is not
    /// reported otherwise.
    func handleClose(of connection: ClientConnection) {
        for wake in wakes where wake.connection === connection && !wake.process.reportsExit { handle(.exit, of: wake) }
    }

    /// Records that a process has exited.
    func handleExit(of process: any WakeProcess) {
        for wake in wakes where wake.process === process { handle(.exit, of: wake) }
    }

    /// Stops the programs whose time limit has passed.
    ///
    /// - Returns: The boot time of the next call; nil if none is needed.
    func schedule() -> Duration? {
        for wake in wakes { handle(.checkTime, of: wake) }
        let now = monotonicTime
        return wakes.compactMap { wake in wake.machine.deadline.map { sessions.clock.time + ($0 - now) } }.min()
    }

    /// Passes an input to the machine of a program, and carries out its actions.
    private func handle(_ input: WakeMachine.Input, of wake: SessionWake) {
        for action in wake.machine.handle(input, now: monotonicTime) {
            switch action {
            case .requestExpiration:
                wake.connection?.send(.wakeExpires)
                // A program that only waits for transfers has nothing to finish.
                for id in wake.openSessions { sessions.sessions[id].map { sessions.endEvents(of: $0) } }
            case .terminate: wake.process.terminateGroup()
            case .kill: wake.process.sendToGroup(signal: SIGKILL)
            case .finish(let ending): finish(wake, ending)
            case .logIgnoredCompletion: break
            }
        }
    }

    private func finish(_ wake: SessionWake, _ ending: WakeMachine.Ending) {
        wakes.removeAll { $0 === wake }
        switch ending {
        case .completed: wake.process.hasCompletedWake = true
        case .exited: break
        case .overran: logger.warning("\(wake.client.row.name) has not handled the events of its transfers in time")
        }
    }
}
