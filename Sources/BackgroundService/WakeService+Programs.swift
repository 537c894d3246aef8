import BackgroundProtocol
import FetchPolicy
import Glibc
import LedgerStore
import PushPolicy
import SystemCalls

extension WakeService {
    /// Records that a program has said `hello`, and sends it the wakes for which it was started.
    func handleHello(
        _ description: ProgramDescription, _ client: Client, _ connection: ClientConnection
    ) throws(ClientEvent.Refusal) {
        connection.presence.isBackgroundStart = description.isBackgroundStart
        // A command of the same program that needs no wakes does not take them away.
        guard !description.modes.isEmpty else { return }
        guard programs[client.row.id] != nil || programs.count < Self.programLimit else {
            throw ClientEvent.Refusal(
                .limit, "\(Self.programLimit) programs are fetched or receive notifications already")
        }
        let program =
            programs[client.row.id]
            ?? WakeProgram(client: client, row: ProgramRow(client: client.row.id, modes: 0, mark: clock.mark))
        program.row.modes = Int64(description.modes.rawValue)
        program.connections.append(connection)
        client.reconnectionEnd = nil
        if scheduler.programs[program.id] == nil {
            scheduler.add(FetchProgram(settings: program.fetchSettings), id: program.id)
        } else {
            scheduler.configure(program.id, program.fetchSettings)
        }
        do throws(DatabaseError) { try save(program) } catch {
            throw ClientEvent.Refusal(.storage, "the program cannot be stored: \(error.message)")
        }
        programs[program.id] = program
    }

    /// Sends what waits for a program, after the answer to its `hello`.
    func handleConnected(_ connection: ClientConnection) {
        guard let client = connection.client, let program = programs[client.row.id],
            program.connections.contains(where: { $0 === connection })
        else { return }
        sendWaitingWakes(of: program, to: connection)
        send(.timer)
    }

    /// Sets the minimum interval between fetches.
    func setFetchInterval(_ seconds: Int64?, client: Client) throws(ClientEvent.Refusal) {
        guard let program = programs[client.row.id], program.modes.contains(.fetch) else {
            throw ClientEvent.Refusal(.invalid, "the program does not declare the mode fetch")
        }
        program.row.fetchInterval = seconds
        scheduler.configure(program.id, program.fetchSettings)
        do throws(DatabaseError) { try save(program) } catch {
            throw ClientEvent.Refusal(.storage, "the interval cannot be stored: \(error.message)")
        }
        send(.timer)
    }

    /// Records that a program was opened, or has left the foreground.
    func setPresence(_ presence: ProgramPresence, _ connection: ClientConnection, client: Client) {
        let wasInForeground = programs[client.row.id]?.isInForeground ?? false
        connection.presence.isInForeground = presence != .background
        if presence == .opened {
            client.relaunch.handleOpening()
            sessions.save(client)
            sessions.transfers.endRelaunchDelays(of: client)
        }
        if presence != .background { sessionWakes.handleOpening(of: client) }
        guard let program = programs[client.row.id] else { return }
        guard presence != .background else {
            if wasInForeground { handleForegroundEnd(of: program) }
            return
        }
        for wake in wakes where wake.program === program { wake.machine.handleOpening() }
        send(presence == .opened ? .foreground(program.id) : .stillForeground(program.id))
        var queue = program.queue
        deliver(queue.handleForeground(), to: program, queue: queue)
    }

    /// Records that a process of a program is not in the foreground any more.
    func handleForegroundEnd(of program: WakeProgram) {
        guard !program.isInForeground else { return }
        program.queue.handleBackground()
        send(.background(program.id))
        saveIfPossible(program)
    }

    /// Returns a program by its name.
    func program(named name: String) throws(ClientEvent.Refusal) -> WakeProgram {
        guard let program = programs.values.first(where: { $0.client.row.name == name }) else {
            throw ClientEvent.Refusal(
                .unknown, "no program with the name \(name) has declared a background mode; open it once")
        }
        return program
    }

    /// Carries out what a user does with a program.
    ///
    /// - Returns: The answer; nil if it follows when a fetch has ended.
    func control(
        _ name: String, _ action: ProgramAction, number: UInt64, _ connection: ClientConnection
    ) throws(ClientEvent.Refusal) -> ClientEvent? {
        switch action {
        case .forget:
            let program = try program(named: name)
            scheduler.forget(program.id)
            do throws(DatabaseError) { try save(program) } catch {
                throw ClientEvent.Refusal(.storage, "the change cannot be stored: \(error.message)")
            }
            send(.timer)
        case .fetch:
            let program = try program(named: name)
            try checkFetch(of: program)
            fetches.requests[program.id] = Fetches.Request(connection: connection, number: number)
            send(.requested(program.id))
            return nil
        case .quit:
            // A program without background modes may have transfers, too.
            guard let client = sessions.clients.values.first(where: { $0.row.name == name }) else {
                throw ClientEvent.Refusal(.unknown, "no program with the name \(name) works in the background")
            }
            quit(client)
        }
        return .done(command: number)
    }

    /// Checks whether a program can be fetched now.
    private func checkFetch(of program: WakeProgram) throws(ClientEvent.Refusal) {
        let name = program.client.row.name
        guard program.modes.contains(.fetch) else {
            throw ClientEvent.Refusal(.invalid, "\(name) does not declare the mode fetch")
        }
        guard scheduler.programs[program.id]?.isFetching == false else {
            throw ClientEvent.Refusal(.busy, "a fetch of \(name) runs already")
        }
        guard case .start = startDecision(for: program) else {
            throw ClientEvent.Refusal(.invalid, "\(name) cannot be started: open it once")
        }
    }

    /// Closes a program for good: it is not started until the user opens it.
    private func quit(_ client: Client) {
        client.relaunch.handleForceQuit()
        sessions.save(client)
        sessions.transfers.cancelAll(of: client)
        starter.process(of: client)?.sendToGroup(signal: SIGTERM)
        guard let program = programs[client.row.id] else { return }
        program.queue.handleForceQuit()
        let kept = Set(program.queue.pending.map(\.id))
        for row in program.notifications where !row.isDelivered && !kept.contains(row.identifier) {
            end(row.id, program)
        }
        send(.forceQuit(program.id))
        saveIfPossible(program)
        for connection in program.connections { try? ProcessHandle(connection.processID).send(signal: SIGTERM) }
    }

    /// The states of all programs, in the order of their names.
    func snapshots() -> [BackgroundProgram] {
        programs.values.sorted { $0.client.row.name < $1.client.row.name }.map(snapshot)
    }

    /// Returns the state of a program for a listing.
    private func snapshot(_ program: WakeProgram) -> BackgroundProgram {
        let time = clock.fetchTime
        var snapshot = BackgroundProgram(name: program.client.row.name, modes: program.modes)
        (snapshot.isRunning, snapshot.isInForeground) = (program.connection != nil, program.isInForeground)
        snapshot.isForceQuit = program.client.relaunch.isForceQuit
        snapshot.nextFetch = scheduler.forecast(for: program.id, at: time)?.text(at: time) ?? ""
        if let fetch = scheduler.programs[program.id] {
            snapshot.habits = fetch.history.text
            let wakes = fetch.budget.wakes.filter { time.bootTime - $0.time < FetchBudget.period }
            let percent = fetch.bucket(now: time.bootTime).percent
            snapshot.usage.wakes = UInt32(clamping: wakes.count)
            snapshot.usage.wakeLimit = UInt32(clamping: max(1, FetchBudget.wakeLimit * percent / 100))
            for wake in wakes {
                snapshot.usage.wallTime += wake.wallTime.clampedNanoseconds / 1_000_000
                snapshot.usage.cpuTime += wake.cpuTime.clampedNanoseconds / 1_000_000
                snapshot.usage.bytes = snapshot.usage.bytes.addingReportingOverflow(wake.bytes).partialValue
            }
        }
        let counters = program.queue.counters
        snapshot.notifications.received = Int64(counters.received)
        snapshot.notifications.delivered = Int64(counters.delivered)
        snapshot.notifications.replaced = Int64(counters.replaced)
        snapshot.notifications.waiting = Int64(program.queue.pending.count)
        return snapshot
    }
}
