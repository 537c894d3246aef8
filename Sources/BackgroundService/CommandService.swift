import BackgroundProtocol
import LedgerStore
import SystemCalls
import TransferPolicy
import WireFormat

/// Carries out the commands of programs and answers them.
///
/// Used by the service's thread.
final class CommandService {
    /// The most transfers of the history that a list contains.
    private static let historyLimit = 500
    private let ledger: Ledger
    private let clock: ServiceClock
    private let transfers: TransferService
    private let sessions: SessionService
    private let wakes: WakeService
    private let pushes: PushService
    private let ntfy: NtfyConnector
    /// The limits on the transfers of one program.
    private let limits = ProgramLimits()

    /// Creates a service for the commands.
    init(sessions: SessionService, wakes: WakeService, pushes: PushService, ntfy: NtfyConnector) {
        (self.sessions, self.wakes, self.pushes, self.ntfy) = (sessions, wakes, pushes, ntfy)
        (ledger, clock, transfers) = (sessions.ledger, sessions.clock, sessions.transfers)
    }

    /// Handles a message of a program.
    ///
    /// - Throws: `MalformedMessage` if the program violates the protocol; its connection then ends.
    func handle(
        _ message: MessageSocket.ReceivedMessage, from connection: ClientConnection
    ) throws(MalformedMessage) {
        let request: ClientRequest
        do throws(MalformedMessage) {
            request = try ClientRequest(decoding: message.bytes)
        } catch {
            // A newer program learns that its command had no effect.
            guard error.isUnknown, connection.client != nil else { throw error }
            var reader = MessageReader(message.bytes)
            return connection.send(
                .refused(
                    command: try reader.read(),
                    ClientEvent.Refusal(.invalid, "the background service does not know this command; restart it")))
        }
        guard message.descriptors.count == request.command.descriptorCount else {
            throw MalformedMessage("a command has the wrong number of descriptors")
        }
        do throws(ClientEvent.Refusal) {
            if let answer = try answer(request, message.descriptors.first, connection) { connection.send(answer) }
            if case .hello = request.command {
                wakes.handleConnected(connection)
                wakes.sessionWakes.handleConnected(connection)
            }
        } catch {
            connection.send(.refused(command: request.number, error))
            if error.code == .limit { connection.pauseReading() }
        }
        // Events follow the answer, so that the program knows the session to which they belong.
        if case .attach = request.command {
            for id in connection.sessions { sessions.sessions[id].map { sessions.sendEvents(of: $0) } }
        }
    }

    /// Carries out a command and returns its answer; nil if the answer follows later.
    private func answer(
        _ request: ClientRequest, _ descriptor: SharedDescriptor?, _ connection: ClientConnection
    ) throws(ClientEvent.Refusal) -> ClientEvent? {
        let number = request.number
        if case .hello(let newest, let oldest, let program) = request.command {
            return try welcome(program, newest, oldest, number, connection)
        }
        guard let client = connection.client else {
            throw ClientEvent.Refusal(.invalid, "the first command must be hello")
        }
        switch request.command {
        case .hello: break
        case .attach(let identifier, let configuration):
            let session = try sessions.attach(identifier, configuration, connection, client)
            return .attached(command: number, session: session.row.id)
        case .detach(let id): sessions.detach(try session(id, connection), connection)
        case .create(let id, let task):
            let transfer = try create(task, in: try session(id, connection), descriptor, connection)
            return .created(command: number, transfer.snapshot(now: clock.time))
        case .resume(let id):
            let transfer = try transfer(id)
            guard !transfer.isSetAside else {
                throw ClientEvent.Refusal(.invalid, "only the program that has cancelled the transfer can continue it")
            }
            // The user who resumes a waiting transfer wants the next attempt now.
            let isWaiting = if case .waiting(let reason) = transfer.machine.state { !reason.isCondition } else { false }
            try handle(isWaiting ? .waitEnded : .resume, of: transfer)
        case .suspend(let id): try handle(.suspend, of: try transfer(id))
        case .cancel(let id): try handle(.cancel, of: try transfer(id))
        case .setAside(let id): try transfers.setAside(try transfer(id))
        case .takeBack(let id, let token):
            let transfer = try transfers.takeBack(
                token, in: try session(id, connection), isInBackground: connection.presence.isInBackground)
            return .created(command: number, transfer.snapshot(now: clock.time))
        case .list(let id): try list(id, connection)
        case .watch(let isOn): connection.isWatching = isOn
        case .acknowledge(let id, let sequence):
            let session = try session(id, connection)
            do throws(DatabaseError) { try sessions.acknowledge(session, through: sequence) } catch {
                throw ClientEvent.Refusal(.storage, "the acknowledgement cannot be stored: \(error.message)")
            }
        case .requestFinishedEvents(let id): sessions.requestFinishedEvents(of: try session(id, connection))
        case .eventsHandled(let id): wakes.sessionWakes.handleCompletion(of: try session(id, connection), connection)
        case .setPriority(let id, let priority):
            let transfer = try transfer(id)
            do throws(DatabaseError) { try ledger.savePriority(priority, of: id) } catch {
                throw ClientEvent.Refusal(.storage, "the priority cannot be stored: \(error.message)")
            }
            transfer.row.priority = priority
        case .authenticate(let id, let user, let password):
            let transfer = try transfer(id)
            guard transfer.machine.state == .waiting(.credentials) else {
                throw ClientEvent.Refusal(.invalid, "the transfer does not wait for a user name and password")
            }
            try transfers.authenticate(transfer, user: user, password: password)
        default: return try answerWake(request, client, connection)
        }
        return .done(command: number)
    }

    /// Carries out a command for fetches and notifications, and returns its answer; nil if the answer follows later.
    private func answerWake(
        _ request: ClientRequest, _ client: Client, _ connection: ClientConnection
    ) throws(ClientEvent.Refusal) -> ClientEvent? {
        switch request.command {
        case .setFetchInterval(let seconds): try wakes.setFetchInterval(seconds, client: client)
        case .setPresence(let presence): wakes.setPresence(presence, connection, client: client)
        case .completeFetch(let token, let result): wakes.completeFetch(token, result, client: client)
        case .completeNotification(let id, let result): try wakes.completeNotification(id, result, client: client)
        case .registerForNotifications(let isOn):
            if isOn { try pushes.register(client) } else { try pushes.unregister(client) }
        case .registerForEncryptedNotifications: try pushes.register(client, isEncrypted: true)
        case .setPushServer(let address):
            if let address { try ntfy.setServer(address) }
            return .pushServer(command: request.number, ntfy.server?.address ?? "")
        case .push(let message): return .received(command: request.number, try wakes.receive(message))
        case .listPrograms: for program in wakes.snapshots() { connection.send(.program(program)) }
        case .control(let program, let action):
            return try wakes.control(program, action, number: request.number, connection)
        default: break
        }
        return .done(command: request.number)
    }

    /// Registers a program and chooses the version of the protocol.
    private func welcome(
        _ program: ProgramDescription, _ newest: UInt16, _ oldest: UInt16, _ number: UInt64,
        _ connection: ClientConnection
    ) throws(ClientEvent.Refusal) -> ClientEvent {
        guard connection.client == nil else { throw ClientEvent.Refusal(.invalid, "a second hello") }
        let version = min(newest, ClientLimits.version)
        guard version >= max(oldest, ClientLimits.oldestVersion) else {
            throw ClientEvent.Refusal(
                .version, "the background service and the program have no common version; restart both after an update")
        }
        connection.client = try sessions.register(program, processID: connection.processID)
        connection.version = version
        if let client = connection.client { try wakes.handleHello(program, client, connection) }
        return .welcome(command: number, version: version)
    }

    /// Returns a session to which the program is attached.
    private func session(_ id: Int64, _ connection: ClientConnection) throws(ClientEvent.Refusal) -> Session {
        guard connection.sessions.contains(id), let session = sessions.sessions[id] else {
            throw ClientEvent.Refusal(.unknown, "the program is not attached to this session")
        }
        return session
    }

    /// Returns a transfer of any program of the user.
    private func transfer(_ id: Int64) throws(ClientEvent.Refusal) -> Transfer {
        guard let transfer = transfers.transfers[id] else {
            throw ClientEvent.Refusal(.unknown, "there is no transfer \(id), or it has ended")
        }
        return transfer
    }

    /// Passes a command to a transfer.
    ///
    /// - Throws: `ClientEvent.Refusal` if the command cannot be stored now.
    private func handle(_ input: TransferMachine.Input, of transfer: Transfer) throws(ClientEvent.Refusal) {
        guard !transfers.attempt(input, of: transfer) else { return }
        throw ClientEvent.Refusal(
            .storage, "the command cannot be stored, and is tried again: \(transfer.fault ?? "unknown reason")")
    }

    /// Creates a transfer, if the limits of the program permit it. A repeated command creates nothing, so the limits do
    /// not apply to it.
    private func create(
        _ request: TaskRequest, in session: Session, _ descriptor: SharedDescriptor?, _ connection: ClientConnection
    ) throws(ClientEvent.Refusal) -> Transfer {
        if let existing = transfers.transfer(withUUID: request.uuid, in: session) { return existing }
        let client = session.client
        var usage = ProgramLimits.Usage(unreadEvents: sessions.eventCount(of: client))
        for transfer in transfers.transfers.values where transfer.session.client === client {
            if !transfer.machine.state.isTerminal { usage.openTasks += 1 }
            if !transfer.row.destination.isKept { usage.stagedBytes += transfer.received }
        }
        if let refusal = limits.refusal(usage: usage, recentCreations: client.creations.count(now: clock.time)) {
            throw ClientEvent.Refusal(.limit, refusal.text)
        }
        var directory: DirectoryDescriptor?
        if let descriptor {
            do throws(SystemCallError) { directory = try DirectoryDescriptor(received: descriptor.raw) } catch {
                throw ClientEvent.Refusal(.storage, "the directory cannot be opened: \(error.reason)")
            }
        }
        let transfer = try transfers.create(
            request, in: session, directory: directory, isInBackground: connection.presence.isInBackground)
        client.creations.handleCreation(now: clock.time)
        return transfer
    }

    /// Sends the transfers of a session, or of all programs with the newest part of the history.
    private func list(_ id: Int64?, _ connection: ClientConnection) throws(ClientEvent.Refusal) {
        let now = clock.time
        let hasHistory = id == nil || connection.version < ClientLimits.hiddenHistoryVersion
        let current = transfers.sortedTransfers.filter {
            id == nil || ($0.row.session == id && !$0.isSetAside && (hasHistory || sessions.hasNews($0)))
        }
        let history =
            hasHistory
            ? try? ledger.lastTasks(inState: TransferService.deliveredState, session: id, limit: Self.historyLimit)
            : nil
        for row in history ?? [] where transfers.transfers[row.id] == nil {
            guard let session = sessions.sessions[row.session] else { continue }
            connection.send(.task(row.historySnapshot(session: session)))
        }
        for transfer in current { connection.send(.task(transfer.snapshot(now: now))) }
    }
}

extension TaskRow {
    /// The state of a transfer in the history.
    func historySnapshot(session: Session) -> TaskSnapshot {
        var snapshot = TaskSnapshot(
            id: id, session: self.session, number: number, program: session.client.row.name,
            identifier: session.row.identifier, address: request.url, description: description,
            activity: historyActivity,
            file: TaskSnapshot.File(
                directory: destination.directory, name: destination.name, isKept: destination.isKept),
            bytes: TaskSnapshot.Bytes(done: progress.bytes ?? 0, isUpload: request.upload != nil))
        snapshot.status = UInt16(clamping: progress.status ?? 0)
        return snapshot
    }
}
