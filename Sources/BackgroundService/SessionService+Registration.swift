import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TransferPolicy

/// The programs and their sessions are bounded: those that are not used give way to new ones.
extension SessionService {
    /// The most programs that the ledger knows, and the most sessions of one program.
    static let programLimit = 1000, sessionLimit = 100

    /// Registers a program that has said `hello`.
    func register(_ program: ProgramDescription, processID: Int32) throws(ClientEvent.Refusal) -> Client {
        do throws(DatabaseError) {
            if try makeRoom(for: program) { return try store(program, processID: processID) }
        } catch { throw ClientEvent.Refusal(.storage, "the program cannot be stored: \(error.message)") }
        throw ClientEvent.Refusal(
            .limit, "\(Self.programLimit) programs use the background service; wait until one of them has no transfers")
    }

    /// Stores a program with the executable file of its process.
    private func store(_ program: ProgramDescription, processID: Int32) throws(DatabaseError) -> Client {
        var executable = "", identity = FileIdentity(device: 0, inode: 0)
        if program.launchArguments != nil, let path = FilePath("/proc/\(processID)/exe")?.resolved?.text,
            let file = try? FileDescriptor(opening: path, flags: O_RDONLY), let fileIdentity = try? file.identity()
        {
            (executable, identity) = (path, fileIdentity)
        }
        let row = try ledger.register(
            ClientRow(
                name: program.name, executable: executable, identity: identity,
                arguments: program.launchArguments ?? []),
            // The process has ended already. Its program can still be started as before.
            keepsExecutable: program.launchArguments != nil && executable.isEmpty)
        guard let client = try client(row.id) else {
            throw DatabaseError(operation: "register", code: 12, message: "the program was not stored")
        }
        client.row = row
        if !program.isBackgroundStart {
            client.relaunch.handleOpening()
            transfers.endRelaunchDelays(of: client)
        }
        client.start?.deadline = nil
        save(client)
        return client
    }

    /// Removes idle programs until one more can be stored.
    ///
    /// - Returns: False if too many programs are in use.
    private func makeRoom(for program: ProgramDescription) throws(DatabaseError) -> Bool {
        var count = try ledger.clientCount()
        guard count >= Self.programLimit, try !ledger.hasClient(named: program.name) else { return true }
        let idle = try ledger.idleClients(historyState: TransferService.deliveredState)
        for id in idle where count >= Self.programLimit {
            let isUsed = clients[id].map { $0.start != nil || isConnected($0) } ?? false
            if isUsed { continue }
            try ledger.removeClient(id)
            clients[id] = nil
            for session in sessions.values where session.row.client == id { sessions[session.row.id] = nil }
            count -= 1
        }
        return count < Self.programLimit
    }

    /// Attaches a program to a session, which is created if necessary. The caller then sends the events.
    func attach(
        _ identifier: String, _ configuration: SessionConfiguration, _ connection: ClientConnection, _ client: Client
    ) throws(ClientEvent.Refusal) -> Session {
        let row: SessionRow?
        do throws(DatabaseError) {
            row =
                try makeRoom(forSession: identifier, of: client)
                ? try ledger.session(identifier, of: client.row.id, configuration: configuration.encoded) : nil
        } catch { throw ClientEvent.Refusal(.storage, "the session cannot be stored: \(error.message)") }
        guard let row else {
            throw ClientEvent.Refusal(
                .limit, "the program uses \(Self.sessionLimit) sessions; wait until the transfers of some of them end")
        }
        let session = sessions[row.id] ?? Session(row: row, configuration: configuration, client: client)
        sessions[row.id] = session
        if configuration.deliversEvents, let other = session.connection, !other.isClosed, other !== connection {
            throw ClientEvent.Refusal(
                .busy, "another running program (process \(other.processID)) uses the session \(identifier)")
        }
        session.configuration = configuration
        if configuration.deliversEvents {
            session.connection = connection
            session.sentSequence = 0
            session.owesFinishedEvents = eventCount(of: session) > 0
        }
        if !connection.sessions.contains(row.id) { connection.sessions.append(row.id) }
        return session
    }

    /// Removes idle sessions of a program until one more can be stored.
    ///
    /// - Returns: False if the program uses too many sessions.
    private func makeRoom(forSession identifier: String, of client: Client) throws(DatabaseError) -> Bool {
        let id = client.row.id
        var count = try ledger.sessionCount(ofClient: id)
        guard count >= Self.sessionLimit, try !ledger.hasSession(identifier, ofClient: id) else { return true }
        let idle = try ledger.idleSessions(ofClient: id, historyState: TransferService.deliveredState)
        for session in idle where count >= Self.sessionLimit {
            if connections().contains(where: { !$0.isClosed && $0.sessions.contains(session) }) { continue }
            try ledger.removeSession(session)
            sessions[session] = nil
            count -= 1
        }
        return count < Self.sessionLimit
    }
}
