import BackgroundProtocol
import FetchPolicy
import Glibc
import LedgerStore
import PushPolicy
import SystemCalls

extension WakeService {
    /// The monotonic time, which does not count the suspension of the machine.
    private var monotonicTime: Duration { .nanoseconds(clock.monotonic()) }

    /// Starts a fetch that the scheduler has decided on.
    func startFetch(token: Int, _ program: WakeProgram?) {
        guard let program else { return }
        // The start is stored first: after a crash of the service, the program is not fetched a second time.
        saveIfPossible(program)
        let wake = makeWake(.fetch(token: token), program)
        if let request = fetches.requests.removeValue(forKey: program.id) {
            (wake.requester, wake.requestNumber) = (request.connection, request.number)
        }
        start(wake)
        // Waiting notifications need no wake of their own then.
        guard wakes.contains(where: { $0 === wake }) else { return }
        var queue = program.queue
        let messages = queue.takeForWake()
        if !messages.isEmpty { deliver(messages, to: program, queue: queue) }
    }

    /// Creates a wake.
    func makeWake(_ kind: Wake.Kind, _ program: WakeProgram) -> Wake {
        let wake = Wake(
            kind, of: program, startTime: monotonicTime,
            isUserRunning: program.isInForeground || program.connection.map { !$0.presence.isBackgroundStart } ?? false)
        wake.initialUsage.bytes = transferredBytes(of: program)
        wakes.append(wake)
        return wake
    }

    /// Sends a wake to the running program, or starts the program for it.
    func start(_ wake: Wake) {
        if let connection = wake.program.connection { return send(wake, to: connection) }
        // A second process would start beside one that has not connected again yet.
        if let end = wake.program.client.reconnectionEnd, clock.time < end { return }
        switch starter.start(wake.program.client) {
        case .started(let process):
            wake.process = process
            // After a crash, the next run of the service waits for this process.
            saveIfPossible(wake.program)
        case .refused: finish(wake, .exited, nil)
        }
    }

    /// Sends a wake to a connected program.
    private func send(_ wake: Wake, to connection: ClientConnection) {
        wake.connection = connection
        wake.isSent = true
        if wake.process == nil, connection.presence.isBackgroundStart {
            wake.process = starter.process(of: wake.program.client) ?? ConnectedProcess(connection.processID)
        }
        wake.initialUsage.cpuTime = cpuTime(of: wake)
        switch wake.kind {
        case .fetch(let token): connection.send(.fetch(token: fetches.tokenBase + Int64(token)))
        case .notification(let id):
            guard let row = wake.program.notifications.first(where: { $0.id == id }) else { return }
            // An older program does not know the message with a sender.
            let sender: NotificationSender? =
                connection.version < ClientLimits.senderVersion ? nil : row.isFromServer ? .server : .local
            connection.send(.notification(id: id, payload: row.payload, sender: sender))
        }
    }

    /// Sends the wakes that wait for the program to a new connection.
    func sendWaitingWakes(of program: WakeProgram, to connection: ClientConnection) {
        for wake in wakes where wake.program === program && !wake.isSent { send(wake, to: connection) }
    }

    /// Ends the wakes whose program has exited.
    func handleExit(of process: any WakeProcess) {
        sessionWakes.handleExit(of: process)
        // The ends of its connections may not have been read yet. No wake is sent to them any more.
        for connection in programs.values.flatMap(\.connections) where connection.processID == process.processID {
            handleClose(of: connection)
        }
        // The newest notification waits again first, because an older one must not replace it.
        for wake in wakes.reversed() where wake.process === process {
            // The program has exited after the completion of another wake, before it has read this one. Each start
            // completes a wake, so that the starts come to an end.
            if process.hasCompletedWake, wake.machine.state == .running {
                restart(wake)
            } else {
                handle(.exit, of: wake)
            }
        }
    }

    /// Starts the program once more for a wake.
    private func restart(_ wake: Wake) {
        (wake.process, wake.connection, wake.isSent) = (nil, nil, false)
        wake.machine = WakeMachine(startTime: monotonicTime, isUserRunning: false)
        start(wake)
    }

    /// Records that a connection has ended. A process that this run of the service has started is still watched until
    /// it exits.
    func handleClose(of connection: ClientConnection) {
        sessionWakes.handleClose(of: connection)
        guard let client = connection.client, let program = programs[client.row.id],
            program.connections.contains(where: { $0 === connection })
        else { return }
        let wasInForeground = connection.presence.isInForeground
        program.connections.removeAll { $0 === connection }
        for wake in wakes.reversed() where wake.connection === connection && wake.process?.reportsExit != true {
            handle(.exit, of: wake)
        }
        if wasInForeground { handleForegroundEnd(of: program) }
        scheduler.configure(program.id, program.fetchSettings)
        saveIfPossible(program)
        send(.timer)
    }

    /// Checks the time limits of a wake.
    func checkTime(of wake: Wake) { handle(.checkTime, of: wake) }

    /// Passes an input to the machine of a wake, and carries out its actions.
    private func handle(_ input: WakeMachine.Input, of wake: Wake, result: WakeResult? = nil) {
        for action in wake.machine.handle(input, now: monotonicTime) {
            switch action {
            case .requestExpiration: wake.connection?.send(.wakeExpires)
            case .terminate: wake.process?.terminateGroup()
            case .kill: wake.process?.sendToGroup(signal: SIGKILL)
            case .finish(let ending): finish(wake, ending, result)
            case .logIgnoredCompletion: logIgnoredCompletion(of: wake.program)
            }
        }
    }

    /// Logs an answer to a fetch or a notification that has ended.
    private func logIgnoredCompletion(of program: WakeProgram) {
        logger.warning("\(program.client.row.name) called a completion handler again or too late; this is ignored")
    }

    /// Handles the answer of a program to a fetch.
    func completeFetch(_ token: Int64, _ result: WakeResult, client: Client) {
        guard let program = programs[client.row.id] else { return }
        let wake = wakes.first { wake in
            guard case .fetch(let own) = wake.kind else { return false }
            return wake.program === program && fetches.tokenBase + Int64(own) == token
        }
        guard let wake else { return logIgnoredCompletion(of: program) }
        handle(.complete, of: wake, result: result)
    }

    /// Ends a wake: stores its result and its cost.
    func finish(_ wake: Wake, _ ending: WakeMachine.Ending, _ result: WakeResult?) {
        wakes.removeAll { $0 === wake }
        if ending == .completed {
            wake.process?.hasCompletedWake = true
            wake.program.client.start?.hasAcknowledged = true
            wake.program.client.relaunch.handleProgress()
        } else {
            logger.info("\(wake.program.client.row.name) did not complete: \(ending)")
        }
        switch wake.kind {
        case .fetch(let token):
            let fetchResult: FetchResult =
                switch result {
                case .newData: .newData
                case .noData: .noData
                case .failed, nil: .failed
                }
            let outcome = FetchOutcome(
                fetchResult, wallTime: monotonicTime - wake.machine.startTime,
                cpuTime: .nanoseconds(max(0, cpuTime(of: wake) - wake.initialUsage.cpuTime)),
                bytes: max(0, transferredBytes(of: wake.program) - wake.initialUsage.bytes),
                wasStopped: ending == .overran)
            send(.completed(token: token, outcome))
            saveIfPossible(wake.program)
            wake.requester?.send(
                .fetched(
                    command: wake.requestNumber, result,
                    milliseconds: outcome.wallTime.clampedNanoseconds / 1_000_000))
        case .notification(let id):
            finishNotification(
                id, wake.program, isCompleted: ending == .completed, wasStarted: wake.isSent || wake.process != nil)
        }
    }

    /// The time of the processor that the program of a wake has used, in nanoseconds.
    private func cpuTime(of wake: Wake) -> Int64 {
        wake.process?.cpuTime ?? wake.connection.map { ProcessorTime.used(by: $0.processID) } ?? 0
    }

    /// The bytes of the program's transfers, of which the service knows.
    private func transferredBytes(of program: WakeProgram) -> Int64 {
        sessions.transfers.transfers.values.reduce(0) { sum, transfer in
            transfer.session.client === program.client ? sum + transfer.received + transfer.sent : sum
        }
    }
}
