import BackgroundProtocol
import LedgerStore
import Logging
import SystemCalls
import TransferPolicy

/// The programs, their sessions, and the delivery of events: at least once until acknowledged, in order.
///
/// Used by the service's thread.
final class SessionService: TransferObserver {
    /// The most events that are sent to a program before it acknowledges some of them.
    static let windowSize: Int64 = 64
    /// The time between two attempts to open a file for an event, in nanoseconds.
    private static let retryInterval = 5 * MonotonicTime.nanosecondsPerSecond
    let ledger: Ledger
    let clock: ServiceClock
    let logger: Logger
    let transfers: TransferService
    /// The programs and sessions that the ledger knows, by their keys.
    var clients: [Int64: Client] = [:], sessions: [Int64: Session] = [:]
    /// The open connections of all programs.
    var connections: () -> [ClientConnection] = { [] }
    /// The connections that receive the changes of all transfers.
    private var watchers: [ClientConnection] { connections().filter { $0.isWatching } }
    /// The boot time at which events are sent whose files could not be opened, in nanoseconds; nil if none wait.
    private var retryTime: Int64?

    /// Loads the programs, sessions and transfers.
    init(
        ledger: Ledger, clock: ServiceClock, transfers: TransferService, logger: Logger
    ) throws(DatabaseError) {
        (self.ledger, self.clock, self.transfers, self.logger) = (ledger, clock, transfers, logger)
        let isSameBoot = try ledger.clockMark()?.boot == clock.boot
        // Before the transfers store the new start of the machine, so that a crash does not prevent the update.
        if !isSameBoot { try StoredDevices.update(in: ledger) }
        for row in try ledger.sessions() {
            guard let client = try client(row.client),
                let configuration = try? SessionConfiguration(decoding: row.configuration)
            else { continue }
            sessions[row.id] = Session(row: row, configuration: configuration, client: client)
        }
        try transfers.load { [unowned self] id in sessions[id] }
        // A program that handles events or waits for them connects again if only the service has crashed.
        for session in sessions.values
        where isSameBoot && (eventCount(of: session) > 0 || hasRunningTransfer(session)) {
            session.client.reconnectionEnd = clock.time + Client.reconnectionTime
        }
        transfers.observer = self
    }

    /// Returns a program by its key, which is loaded if necessary.
    func client(_ id: Int64) throws(DatabaseError) -> Client? {
        if let client = clients[id] { return client }
        guard let row = try ledger.client(id) else { return nil }
        let client = Client(row: row)
        client.relaunch = RelaunchPolicy(stored: row.relaunch, isForceQuit: row.isForceQuit, clock: clock)
        clients[id] = client
        return client
    }

    /// Stores the rule for starts of a program.
    func save(_ client: Client) {
        let stored = client.relaunch.stored(clock: clock)
        try? ledger.save(stored, isForceQuit: client.relaunch.isForceQuit, ofClient: client.row.id)
    }

    /// Ends the attachment of a program.
    func detach(_ session: Session, _ connection: ClientConnection) {
        if session.connection === connection { session.connection = nil }
        connection.sessions.removeAll { $0 == session.row.id }
    }

    /// Removes the events that a program has acknowledged, and then the files that belong to them.
    func acknowledge(_ session: Session, through sequence: Int64) throws(DatabaseError) {
        // A program cannot acknowledge an event that it has not received.
        let limit = min(sequence, session.sentSequence), oldEventCount = eventCount(of: session)
        for id in try ledger.acknowledge(session: session.row.id, through: limit) {
            if let transfer = transfers.transfers[id], transfer.machine.state.isTerminal {
                transfers.handle(.acknowledge, of: transfer)
            }
        }
        if eventCount(of: session) < oldEventCount {
            session.client.start?.hasAcknowledged = true
            session.client.relaunch.handleProgress()
        }
        sendEvents(of: session)
    }

    /// Tells the program about the end of the events that an earlier run of the service has delivered.
    func requestFinishedEvents(of session: Session) {
        session.owesFinishedEvents = true
        sendEvents(of: session)
    }

    /// Sends the events of a session that its program has not received, as far as the window permits.
    func sendEvents(of session: Session) {
        guard let connection = session.connection, !connection.isClosed else { return }
        guard let first = try? ledger.events(ofSession: session.row.id, limit: 1).first else {
            return sendFinishedEvents(of: session)
        }
        let end = first.sequence + Self.windowSize
        let events =
            (try? ledger.events(
                ofSession: session.row.id, after: session.sentSequence, limit: Int(Self.windowSize))) ?? []
        for event in events where event.sequence < end {
            guard send(event, of: session, to: connection) else { return }
            session.sentSequence = event.sequence
            session.owesFinishedEvents = true
        }
    }

    /// Sends an event. The event of a finished download comes with its file.
    ///
    /// - Returns: False if the file cannot be opened now; the event is sent later.
    private func send(_ event: EventRow, of session: Session, to connection: ClientConnection) -> Bool {
        guard let transfer = transfers.transfers[event.task],
            let kind = UInt8(exactly: event.kind).flatMap({ ClientEvent.Kind(rawValue: $0) })
        else { return true }
        let file: SharedDescriptor?
        do throws(SystemCallError) {
            file = try kind == .finished ? openFile(of: transfer) : nil
        } catch {
            sendEventsLater(task: event.task, error)
            return false
        }
        connection.send(
            .event(
                ClientEvent.SessionEvent(
                    session: session.row.id, sequence: event.sequence, kind: kind,
                    task: transfer.snapshot(now: clock.time), hasFile: file != nil)),
            descriptors: file.map { [$0] } ?? [])
        return true
    }

    /// Tells the program that it has acknowledged all events, if no transfer of the session is left that will add one.
    /// A program that was started for the events does not wait for the transfers that it has created meanwhile.
    ///
    /// - Parameter isLast: Whether the time of the program ends, so that it waits for no transfer.
    private func sendFinishedEvents(of session: Session, isLast: Bool = false) {
        let isInBackground = session.connection?.presence.isInBackground ?? false
        guard session.owesFinishedEvents, isLast || !hasRunningTransfer(session, ignoresNew: isInBackground) else {
            return
        }
        session.owesFinishedEvents = false
        session.connection?.send(.finishedEvents(session: session.row.id))
    }

    /// Ends the events of a session whose program has acknowledged all of them, because its time ends.
    func endEvents(of session: Session) {
        if eventCount(of: session) == 0 { sendFinishedEvents(of: session, isLast: true) }
    }

    /// Whether a transfer of the session will end without a further command.
    ///
    /// - Parameter ignoresNew: Whether transfers that the program has created in the background do not count.
    func hasRunningTransfer(_ session: Session, ignoresNew: Bool = false) -> Bool {
        transfers.transfers.values.contains { transfer in
            transfer.session === session && !transfer.machine.state.isTerminal
                && transfer.machine.state.phase != .suspended
                && transfer.machine.state != .waiting(.credentials)
                && !(ignoresNew && transfer.row.request.options & TransferOptions.createdInBackground != 0)
        }
    }

    /// Opens the finished file of a transfer for reading; nil if the program has moved it away already.
    ///
    /// - Throws: `SystemCallError` if the file may still exist, but cannot be opened now. Its event must wait: a
    ///   program that receives the event without the file acknowledges it, and the file is removed.
    private func openFile(of transfer: Transfer) throws(SystemCallError) -> SharedDescriptor? {
        guard let part = transfer.part else { return nil }
        do throws(PartFiles.Failure) { return try PartFiles.openFinished(part, of: transfer.row) } catch {
            switch error {
            case .directoryChanged: return nil
            case .system(let error): throw error
            }
        }
    }

    /// Plans another attempt to send events, because a file could not be opened.
    private func sendEventsLater(task: Int64, _ error: SystemCallError) {
        guard retryTime == nil else { return }
        logger.warning("cannot open the file of transfer \(task), and tries again: \(error)")
        retryTime = clock.now() + Self.retryInterval
    }

    /// Sends the events whose files could not be opened, if it is time.
    ///
    /// - Returns: The boot time of the next call in nanoseconds; nil if none is needed.
    func schedule() -> Int64? {
        if let time = retryTime, time <= clock.now() {
            retryTime = nil
            for session in sessions.values { sendEvents(of: session) }
        }
        return retryTime
    }

    /// The number of events of a session that were not acknowledged.
    func eventCount(of session: Session) -> Int { (try? ledger.eventCount(ofSession: session.row.id)) ?? 0 }

    /// The number of events of a program that were not acknowledged.
    func eventCount(of client: Client) -> Int { (try? ledger.eventCount(ofClient: client.row.id)) ?? 0 }

    /// Returns whether a process of a program is connected, also one that does not use the sessions with events.
    func isConnected(_ client: Client) -> Bool { connections().contains { $0.client === client && !$0.isClosed } }

    /// Returns whether a transfer has not ended, or its program has not acknowledged the events of its end. A transfer
    /// without news is only kept until its files are removed.
    func hasNews(_ transfer: Transfer) -> Bool {
        !transfer.machine.state.isTerminal || (try? ledger.hasEvents(ofTask: transfer.row.id)) ?? true
    }

    /// Returns whether a program has events that were not acknowledged.
    func hasEvents(_ client: Client) -> Bool { eventCount(of: client) > 0 }

    // MARK: TransferObserver

    func transferDidChange(_ transfer: Transfer) {
        let snapshot = ClientEvent.task(transfer.snapshot(now: clock.time))
        for connection in watchers { connection.send(snapshot) }
        // For the program, a transfer that it has cancelled has ended, and so has one whose events it has received.
        if let connection = transfer.session.connection, !connection.isWatching, !transfer.isSetAside,
            hasNews(transfer) || connection.version < ClientLimits.hiddenHistoryVersion
        {
            connection.send(snapshot)
        }
        sendEvents(of: transfer.session)
    }

    func transferDidProgress(_ transfer: Transfer) {
        let bytes = transfer.snapshot(now: clock.time).bytes
        let event = ClientEvent.progress(task: transfer.row.id, done: bytes.done, total: bytes.total)
        // A program that reads slowly misses steps of progress, and nothing else.
        for connection in watchers where connection.isQueueEmpty { connection.send(event) }
        if let connection = transfer.session.connection, !connection.isWatching, connection.isQueueEmpty {
            connection.send(event)
        }
    }

    func transferDidResume(_ transfer: Transfer, at offset: Int64) {
        transfer.session.connection?.send(
            .resumed(task: transfer.row.id, offset: offset, total: transfer.part?.total))
    }
}
